package io.txbox.benchmarks;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;

/** Draws how many messages each arm does in a second. */
final class Chart {
  private Chart() {}

  /** Writes an SVG of the arms at the cost of two statements, or else at the first cost. */
  static void write(String database, Results results, Path file) throws IOException {
    Cost cost =
        results.cases().stream().anyMatch(measured -> measured.cost() == Cost.STATEMENTS)
            ? Cost.STATEMENTS
            : results.cases().get(0).cost();
    List<Case> shown =
        results.cases().stream()
            .filter(measured -> measured.cost() == cost || measured.arm() == Arm.DUPLICATES)
            .sorted(Comparator.comparing(Case::arm))
            .toList();
    List<Spread> rates =
        shown.stream().map(measured -> results.spread(measured, Sample::perSecond)).toList();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(900)
            .height(420)
            .title(
                "Messages per second on "
                    + database
                    + ", "
                    + cost.meaning()
                    + " (median of the rounds)")
            .build();
    chart.getStyler().setLegendVisible(false);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setLabelsPosition(1);
    chart.getStyler().setYAxisDecimalPattern("#,###");
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setSeriesColors(new Color[] {new Color(0x2b6cb0)});
    chart.addSeries(
        "messages per second",
        shown.stream().map(measured -> measured.arm().label()).toList(),
        rates.stream().map(Spread::median).toList());
    VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
  }
}
