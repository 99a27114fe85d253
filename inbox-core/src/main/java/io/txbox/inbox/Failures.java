package io.txbox.inbox;

import io.txbox.DatabaseFailedException;
import io.txbox.DeliveryException;
import io.txbox.HandlerFailedException;
import io.txbox.InboxMessage;
import io.txbox.TransactionRefusedException;
import io.txbox.inbox.Attempt.HandlerThrewException;
import io.txbox.inbox.Attempt.SwallowedException;
import io.txbox.internal.database.SqlErrors;
import java.io.PrintWriter;
import java.io.Writer;

/** Says to the user what went wrong with a message. */
final class Failures {
  private Failures() {}

  static DeliveryException explain(InboxMessage message, RuntimeException error) {
    if (error instanceof HandlerThrewException threw) {
      return suppressing(new HandlerFailedException(message, threw.thrown()), threw);
    }
    if (error instanceof SwallowedException swallowed) {
      return new TransactionRefusedException(
          message,
          "The handler returned normally after "
              + swallowed.getCause()
              + " -- all was rolled back, since a commit might store only a part. Let the error out"
              + " of the handler, or run what may fail inside tx.transaction(…)",
          swallowed.getCause());
    }
    return new DatabaseFailedException(
        message,
        "The transaction did not commit, as far as is known: " + SqlErrors.words(error),
        error);
  }

  /**
   * Returns what a user's code has thrown, or something in its place if it cannot be printed: it
   * will be, into messages and logs, and nothing may fail for that.
   */
  static Throwable printable(Throwable thrown) {
    try {
      thrown.printStackTrace(new PrintWriter(Writer.nullWriter()));
      String unused = thrown.getMessage() + thrown;
      return thrown;
    } catch (Throwable e) {
      return new UnprintableException(thrown.getClass(), e.getClass());
    }
  }

  /** Stands for what cannot be printed. */
  private static final class UnprintableException extends RuntimeException {
    UnprintableException(Class<?> thrown, Class<?> instead) {
      super(
          "%s, which cannot be printed: its toString, getMessage or printStackTrace throws %s"
              .formatted(thrown.getName(), instead.getName()));
    }
  }

  /** Keeps what failed beside it, such as the rollback. */
  private static DeliveryException suppressing(DeliveryException failure, Throwable carrier) {
    for (Throwable also : carrier.getSuppressed()) {
      failure.addSuppressed(also);
    }
    return failure;
  }
}
