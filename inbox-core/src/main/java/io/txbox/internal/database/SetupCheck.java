package io.txbox.internal.database;

import io.txbox.SetupException;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxSchemaTable;
import io.txbox.store.StoreDialect;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConnectionProvider;
import org.jooq.impl.NoConnectionProvider;
import org.jooq.impl.ThreadLocalTransactionProvider;

/** Refuses what an inbox cannot be true on, before anything starts. */
public final class SetupCheck {
  /** The version of the schema that this version of the library needs at least. */
  static final int SCHEMA_VERSION = 1;

  private SetupCheck() {}

  /** Checks what can be seen without asking the database. */
  public static void context(DSLContext dsl, StoreDialect dialect) {
    var provider = dsl.configuration().connectionProvider();
    if (provider instanceof DefaultConnectionProvider || provider instanceof NoConnectionProvider) {
      throw new IllegalArgumentException(
          "dsl must take its connections from a pool, but has "
              + (provider instanceof NoConnectionProvider ? "none" : "a single one")
              + ": make it by DSL.using(dataSource, SQLDialect."
              + dialect.families().iterator().next()
              + ")");
    }
    if (dsl.configuration().transactionProvider() instanceof ThreadLocalTransactionProvider) {
      throw new IllegalArgumentException(
          "dsl must not have a ThreadLocalTransactionProvider: it binds txbox's transaction to the"
              + " thread, and a nested transaction on dsl would commit it from inside a handler."
              + " Make another DSLContext for txbox, by DSL.using(dataSource, SQLDialect."
              + dialect.families().iterator().next()
              + ")");
    }
    SQLDialect family = dsl.dialect().family();
    if (!dialect.families().contains(family)) {
      throw new IllegalArgumentException(
          "dsl has the jOOQ dialect "
              + dsl.dialect()
              + ", but "
              + dialect.getClass().getSimpleName()
              + " is for "
              + dialect.families()
              + ": make it by DSL.using(dataSource, SQLDialect."
              + dialect.families().iterator().next()
              + ")");
    }
  }

  /** Checks the database and its schema. */
  public static void database(Database database) {
    database(database, mend(database.schema()));
  }

  /**
   * Checks the database and its schema.
   *
   * @param remedy what to do about a schema that is missing or too old, a sentence
   */
  public static void database(Database database, String remedy) {
    try {
      database.inTransaction(
          dsl -> {
            database.dialect().check(dsl);
            return true;
          });
    } catch (SetupException e) {
      throw e;
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      throw couldNotBeAsked(e);
    }
    int version = version(database, remedy).orElse(0);
    if (version < SCHEMA_VERSION) {
      throw unfit(database, version, "needs " + SCHEMA_VERSION + ". " + remedy);
    }
    if (version > SCHEMA_VERSION + 1) {
      throw unfit(
          database,
          version,
          "knows " + SCHEMA_VERSION + " and runs on the next one at most: upgrade the library.");
    }
  }

  /** Refuses connections that somebody has set to be read-only; a server that is will be again. */
  public static void writable(Database database) {
    boolean readOnly;
    try {
      readOnly = database.isReadOnly();
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      throw couldNotBeAsked(e);
    }
    if (readOnly) {
      throw new SetupException(
          "dsl has read-only connections, on which no message can be handled: take readOnly out of"
              + " the settings of the pool, of the driver, and of what begins dsl's transactions");
    }
  }

  private static SetupException couldNotBeAsked(RuntimeException why) {
    return new SetupException(
        "The database could not be asked what it is: " + SqlErrors.words(why), why);
  }

  private static SetupException unfit(Database database, int version, String but) {
    return new SetupException(
        "The schema of txbox"
            + in(database.schema())
            + " has version "
            + version
            + ", but this version of the library "
            + but);
  }

  private static Optional<Integer> version(Database database, String remedy) {
    InboxSchemaTable table = database.schema().version();
    try {
      return database.inTransaction(
          dsl -> dsl.select(DSL.max(table.version)).from(table).fetchOptional(0, Integer.class));
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      if (SqlErrors.kindOfOurs(e, database.dialect()) != FailureKind.PERMANENT) {
        throw new SetupException("The database does not answer: " + SqlErrors.words(e), e);
      }
      throw new SetupException(
          "The schema of txbox is missing"
              + in(database.schema())
              + ", or cannot be read: "
              + SqlErrors.words(e)
              + ". "
              + orElse(database.schema())
              + remedy,
          e);
    }
  }

  /** An empty schema where none was named would be no inbox of what was handled before. */
  private static String orElse(InboxSchema schema) {
    return schema.name().isPresent()
        ? ""
        : "If it is in another schema than the connection's, name that: schema(name) of the"
            + " builder, --schema of the command line. If it is nowhere: ";
  }

  private static String in(InboxSchema schema) {
    return schema.name().map(name -> " in '" + name + "'").orElse("");
  }

  private static String mend(InboxSchema schema) {
    return "Run Migrations.migrate(dataSource"
        + schema.name().map(name -> ", \"" + name + "\"").orElse("")
        + "), or 'java -jar inbox-migrations-<version>-cli.jar migrate --url <jdbc address>"
        + schema.name().map(name -> " --schema " + name).orElse("")
        + "', before the consumer starts.";
  }
}
