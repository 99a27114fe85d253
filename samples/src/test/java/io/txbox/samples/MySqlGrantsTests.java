package io.txbox.samples;

import io.txbox.mysql.MySqlDialect;
import io.txbox.store.StoreDialect;
import org.jooq.DSLContext;

/** MySQL and MariaDB, where a schema is a database. */
abstract class MySqlGrantsTests extends GrantsTests {
  @Override
  StoreDialect dialect() {
    return new MySqlDialect();
  }

  @Override
  String user() {
    return "'payments_service'@'%'";
  }

  @Override
  void createUser(DSLContext owner) {
    owner.execute("create user " + user() + " identified by 'secret'");
  }

  @Override
  void dropUser(DSLContext owner) {
    owner.execute("drop user " + user());
  }

  @Override
  void dropSchema(DSLContext owner) {
    owner.execute("drop database txbox");
  }

  @Override
  String jdbcUrl() {
    return database().jdbcUrl().replace("/" + database().name(), "/txbox");
  }
}
