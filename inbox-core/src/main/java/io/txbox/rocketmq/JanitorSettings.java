package io.txbox.rocketmq;

import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.JanitorListener;
import io.txbox.janitor.Retention;
import io.txbox.store.StoreDialect;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * Says how the janitor inside a consumer is to be.
 *
 * @param inside whether there is one
 */
record JanitorSettings(
    Retention retention,
    boolean inside,
    Optional<String> schema,
    InstantSource clock,
    List<JanitorListener> listeners) {
  static final JanitorSettings DEFAULTS =
      new JanitorSettings(
          Retention.ofDays(7), true, Optional.empty(), InstantSource.system(), List.of());

  JanitorSettings withRetention(Retention retention) {
    return new JanitorSettings(retention, inside, schema, clock, listeners);
  }

  JanitorSettings withoutJanitor() {
    return new JanitorSettings(retention, false, schema, clock, listeners);
  }

  JanitorSettings withSchema(String schema) {
    return new JanitorSettings(retention, inside, Optional.of(schema), clock, listeners);
  }

  JanitorSettings withClock(InstantSource clock) {
    return new JanitorSettings(retention, inside, schema, clock, listeners);
  }

  JanitorSettings withListener(JanitorListener listener) {
    List<JanitorListener> all = new ArrayList<>(listeners);
    all.add(listener);
    return new JanitorSettings(retention, inside, schema, clock, List.copyOf(all));
  }

  /** Makes the janitor, if there is to be one. */
  Optional<Janitor> janitor(
      String consumerGroup, DSLContext dsl, StoreDialect dialect, GroupProgress progress) {
    if (!inside) {
      progress.close();
      return Optional.empty();
    }
    Janitor.Builder builder =
        Janitor.builder(dsl, dialect)
            .name(consumerGroup)
            .clock(clock)
            .group(consumerGroup, retention, progress);
    schema.ifPresent(builder::schema);
    listeners.forEach(builder::listener);
    return Optional.of(builder.build());
  }
}
