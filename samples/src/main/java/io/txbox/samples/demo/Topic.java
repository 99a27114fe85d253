package io.txbox.samples.demo;

import io.txbox.InboxHandler;
import io.txbox.samples.order.MoveOrder;
import io.txbox.samples.payment.CreditAccount;
import io.txbox.samples.stock.TakeArticle;

/** The topics, each with its business. */
enum Topic {
  PAYMENT("payments"),
  ORDER("order events"),
  STOCK("withdrawals");

  private final String plural;

  Topic(String plural) {
    this.plural = plural;
  }

  /** Returns what its messages are to people. */
  String plural() {
    return plural;
  }

  /** Returns a handler for its messages, the same code for txbox and for a plain listener. */
  InboxHandler handler() {
    return switch (this) {
      case PAYMENT -> new CreditAccount();
      case ORDER -> new MoveOrder();
      case STOCK -> new TakeArticle();
    };
  }
}
