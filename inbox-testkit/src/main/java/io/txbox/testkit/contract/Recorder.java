package io.txbox.testkit.contract;

import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps all events. Thread-safe. */
final class Recorder implements InboxListener {
  private final List<InboxEvent> events = new CopyOnWriteArrayList<>();

  @Override
  public void on(InboxEvent event) {
    events.add(event);
  }

  <E extends InboxEvent> List<E> of(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
