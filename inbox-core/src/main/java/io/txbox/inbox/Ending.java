package io.txbox.inbox;

import io.txbox.DeliveryException;
import java.time.Instant;
import java.util.Optional;

/** How a message left a batch. */
sealed interface Ending {
  /**
   * What became of it is committed.
   *
   * @param lateBefore what its time would have had to be not to be late, if it was
   * @param failure how it failed for the last time, if it was parked for that
   */
  record Done(Receipt receipt, Optional<Instant> lateBefore, Optional<DeliveryException> failure)
      implements Ending {
    Done(Receipt receipt) {
      this(receipt, Optional.empty(), Optional.empty());
    }
  }

  /** It failed, and was rolled back as far as is known. */
  record Failed(DeliveryException failure) implements Ending {}

  /** It did not run since one before it in its sequence failed. */
  record HeldBack() implements Ending {}

  /** It did not run: the batch's time was up, or it follows one that has not come to its end. */
  record NotRun() implements Ending {}

  /**
   * It failed, or asked for what would have changed the transaction for others, while others shared
   * it. That says nothing yet: it is to run by itself.
   */
  record Suspect() implements Ending {}

  /** Another transaction works on its key. */
  record Busy() implements Ending {}

  /** The database is out of order: it did not run, or was rolled back as far as is known. */
  record Outage(DeliveryException failure) implements Ending {}
}
