package io.txbox.testkit.contract;

import io.txbox.InboxHandler;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What a consumer's process did, a line each, in a file: what was written there survives its
 * SIGKILL. Thread-safe.
 */
final class Journal implements InboxListener {
  static final String READY = "Ready";
  static final String BEGAN = "Began ";
  static final String PROCESSED = "Processed ";
  static final String REDELIVERY = "REDELIVERY ";
  static final String RESENT = "RESENT ";
  static final String CONFLICT = "CONFLICT ";

  private final Path file;

  private Journal(Path file) {
    this.file = file;
  }

  static Journal in(Path folder) {
    return new Journal(folder.resolve("journal"));
  }

  void ready() {
    write(READY);
  }

  /** A handler that writes down that it began, outside of the transaction. */
  InboxHandler around(InboxHandler handler) {
    return (message, tx) -> {
      write(BEGAN + message.keys().orElseThrow());
      handler.handle(message, tx);
    };
  }

  @Override
  public void on(InboxEvent event) {
    if (event instanceof InboxEvent.OfMessage ofMessage) {
      write(lineOf(ofMessage));
    }
  }

  static String lineOf(InboxEvent.OfMessage event) {
    String kind =
        event instanceof InboxEvent.Duplicate duplicate
            ? duplicate.cause().name()
            : event.getClass().getSimpleName();
    return kind + " " + event.message().keys().orElseThrow();
  }

  private synchronized void write(String line) {
    try {
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns all lines so far. */
  List<String> lines() {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
