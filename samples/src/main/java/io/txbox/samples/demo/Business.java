package io.txbox.samples.demo;

import java.util.Map;

/**
 * A message of the business, which may be sent any number of times.
 *
 * @param id what the sender's business calls it
 * @param effect what it is to change, once
 */
record Business(
    Topic topic, String id, Map<String, String> properties, String body, Effect effect) {

  static Business payment(String id, String account, long cents) {
    return new Business(
        Topic.PAYMENT,
        id,
        Map.of("PAYMENT_ID", id, "ACCOUNT", account),
        String.valueOf(cents),
        new Effect(account, cents));
  }

  static Business paid(String order) {
    return orderEvent(order, "PAID", 1);
  }

  static Business reversed(String order) {
    return orderEvent(order, "REVERSED", -1);
  }

  private static Business orderEvent(String order, String event, long change) {
    return new Business(
        Topic.ORDER,
        order + " " + event,
        Map.of("ORDER", order, "EVENT", event),
        event,
        new Effect(order, change));
  }

  static Business withdrawal(String id, String article, long quantity) {
    return new Business(
        Topic.STOCK,
        id,
        Map.of("ARTICLE", article),
        String.valueOf(quantity),
        new Effect(article, -quantity));
  }
}
