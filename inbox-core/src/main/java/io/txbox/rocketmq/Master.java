package io.txbox.rocketmq;

/**
 * A master broker.
 *
 * @param name its name, as message queues have it
 * @param address where it listens
 */
record Master(String name, String address) {
  @Override
  public String toString() {
    return name + " (" + address + ")";
  }
}
