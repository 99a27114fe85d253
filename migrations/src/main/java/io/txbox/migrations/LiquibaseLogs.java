package io.txbox.migrations;

import java.util.logging.Level;
import liquibase.logging.Logger;
import liquibase.logging.core.AbstractLogService;
import liquibase.logging.core.AbstractLogger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Hands Liquibase's log to SLF4J, one level down: its news are our details, and what it calls
 * severe it also throws.
 */
final class LiquibaseLogs extends AbstractLogService {

  @Override
  public int getPriority() {
    return PRIORITY_NOT_APPLICABLE;
  }

  @Override
  @SuppressWarnings("rawtypes")
  public Logger getLog(Class source) {
    return new Slf4jLogger(LoggerFactory.getLogger(source));
  }

  private static final class Slf4jLogger extends AbstractLogger {

    private final org.slf4j.Logger target;

    Slf4jLogger(org.slf4j.Logger target) {
      this.target = target;
    }

    @Override
    public void log(Level level, @Nullable String message, @Nullable Throwable thrown) {
      if (level.intValue() == Level.WARNING.intValue()) {
        target.warn(message, thrown);
      } else if (level.intValue() >= Level.INFO.intValue()) {
        target.debug(message, thrown);
      } else {
        target.trace(message, thrown);
      }
    }

    @Override
    public void close() {}
  }
}
