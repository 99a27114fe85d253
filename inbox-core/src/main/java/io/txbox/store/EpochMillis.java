package io.txbox.store;

import java.io.Serial;
import java.time.Instant;
import org.jooq.DataType;
import org.jooq.impl.AbstractConverter;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an instant as milliseconds since 1970 in UTC: a number knows no session time zone and no
 * hour that daylight saving leaves out.
 */
final class EpochMillis extends AbstractConverter<Long, Instant> {
  static final DataType<Instant> TYPE = SQLDataType.BIGINT.asConvertedDataType(new EpochMillis());

  @Serial private static final long serialVersionUID = 1;

  private EpochMillis() {
    super(Long.class, Instant.class);
  }

  @Override
  public @Nullable Instant from(@Nullable Long millis) {
    return millis == null ? null : Instant.ofEpochMilli(millis);
  }

  @Override
  public @Nullable Long to(@Nullable Instant instant) {
    return instant == null ? null : instant.toEpochMilli();
  }
}
