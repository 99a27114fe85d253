package io.txbox.testkit.database;

import java.time.ZoneId;
import org.jooq.SQLDialect;

/** A running server, on which each test class gets a database of its own. */
interface DatabaseServer extends AutoCloseable {

  SQLDialect dialect();

  /** Creates an empty database, which must not exist. */
  Address create(String database);

  /** Drops a database, also if connections to it are open. */
  void drop(String database);

  /** Returns the address for JDBC, without user and password. */
  String jdbcUrl(Address address);

  /** Returns the statement that gives a session this time zone. */
  String setTimeZone(ZoneId zone);

  /**
   * Returns the query for what the other sessions of the current database last did, as one text
   * each.
   */
  String describeBusySessions();

  @Override
  void close();

  /** Where a database is, and who may use it. */
  record Address(String host, int port, String database, String user, String password) {}
}
