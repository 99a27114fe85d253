package io.txbox.store;

import java.io.Serial;
import java.time.Duration;
import org.jooq.DataType;
import org.jooq.impl.AbstractConverter;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Keeps a duration as milliseconds. */
final class Millis extends AbstractConverter<Long, Duration> {
  static final DataType<Duration> TYPE = SQLDataType.BIGINT.asConvertedDataType(new Millis());

  @Serial private static final long serialVersionUID = 1;

  private Millis() {
    super(Long.class, Duration.class);
  }

  @Override
  public @Nullable Duration from(@Nullable Long millis) {
    return millis == null ? null : Duration.ofMillis(millis);
  }

  @Override
  public @Nullable Long to(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
