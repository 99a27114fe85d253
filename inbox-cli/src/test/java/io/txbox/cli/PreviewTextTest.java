package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.janitor.PurgePreview;
import io.txbox.janitor.Retention;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PreviewTextTest {
  private static final PurgePreview.Rows NONE = new PurgePreview.Rows(0, false);

  @Test
  void writesATableAndWhy() {
    PurgePreview.Scope goes =
        new PurgePreview.Scope(
            "ORDER_PAID",
            at("2026-11-20T00:00:00Z"),
            at("2026-11-21T00:00:00Z"),
            at("2026-11-21T00:00:00Z"),
            at("2026-11-01T10:00:00.123Z"),
            new PurgePreview.Rows(12_345, false),
            new PurgePreview.Rows(100_000, true),
            Optional.empty());
    PurgePreview.Scope stays =
        new PurgePreview.Scope(
            "S",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            NONE,
            NONE,
            Optional.of("it has no row"));

    assertThat(
            PreviewText.lines(
                new PurgePreview(
                    Optional.of("orders 1"),
                    List.of(
                        new PurgePreview.Group(
                            "orders",
                            Retention.ofDays(7),
                            Optional.empty(),
                            Optional.of("broker b does not answer"),
                            List.of(goes, stays))))))
        .containsExactly(
            "Lease: held by orders 1",
            "Purge clock: stands still: broker b does not answer",
            "",
            "SCOPE       GO NOW  GO SOON           OLDEST ROW            PURGED BEFORE         NEXT HORIZON",
            "ORDER_PAID  12,345  at least 100,000  2026-11-01T10:00:00Z  2026-11-20T00:00:00Z  2026-11-21T00:00:00Z",
            "S           0       0                 none                  none                  none",
            "",
            "Scope ORDER_PAID: 12,345 rows could go now, processed before 2026-11-20T00:00:00Z.",
            "  at least 100,000 rows more could go once the horizon 2026-11-21T00:00:00Z has been"
                + " announced for ten seconds.",
            "Scope S: no row could go now: it has no row.");
  }

  private static Optional<Instant> at(String time) {
    return Optional.of(Instant.parse(time));
  }
}
