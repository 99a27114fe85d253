package io.txbox.migrations;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.RuntimeEnvironment;
import liquibase.Scope;
import liquibase.changelog.ChangeLogHistoryService;
import liquibase.changelog.ChangeLogHistoryServiceFactory;
import liquibase.changelog.ChangeLogIterator;
import liquibase.changelog.ChangeLogParameters;
import liquibase.changelog.DatabaseChangeLog;
import liquibase.changelog.RanChangeSet;
import liquibase.changelog.filter.AlreadyRanChangeSetFilter;
import liquibase.changelog.filter.ChangeSetFilter;
import liquibase.changelog.filter.ChangeSetFilterResult;
import liquibase.changelog.filter.ShouldRunChangeSetFilter;
import liquibase.changelog.visitor.RollbackVisitor;
import liquibase.changelog.visitor.UpdateVisitor;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.core.MariaDBDatabase;
import liquibase.database.core.MySQLDatabase;
import liquibase.database.core.PostgresDatabase;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.DatabaseException;
import liquibase.exception.LiquibaseException;
import liquibase.executor.ExecutorService;
import liquibase.parser.ChangeLogParserFactory;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.resource.ResourceAccessor;
import liquibase.ui.LoggerUIService;

/**
 * Runs the changelog. The caller holds the {@link ChangelogLock}. Below Liquibase's command layer,
 * which would take its own lock, print a summary to the console and send usage data; what is left
 * is what its update command does with the database.
 */
final class Changelog {

  static final String TABLE = "inbox_changelog";

  // Liquibase's registries are shared by the whole JVM and not all of them are thread-safe.
  private static final Object ONE_AT_A_TIME = new Object();

  private Changelog() {}

  static void update(Session session, Release release) throws Exception {
    run(
        session,
        release,
        (database, changeLog, history) ->
            new ChangeLogIterator(changeLog, new ShouldRunChangeSetFilter(database))
                .run(new UpdateVisitor(database, null), environment(database)));
  }

  /** Takes back what came after that version; 0 leaves nothing but the changelog tables. */
  static void rollback(Session session, Release release, int version) throws Exception {
    run(
        session,
        release,
        (database, changeLog, history) -> {
          List<RanChangeSet> ran = history.getRanChangeSets();
          new ChangeLogIterator(
                  ran, changeLog, new AlreadyRanChangeSetFilter(ran), cameAfter(version))
              .run(new RollbackVisitor(database, null), environment(database));
        });
  }

  private static ChangeSetFilter cameAfter(int version) {
    return changeSet ->
        versionOf(changeSet.getId()) > version
            ? new ChangeSetFilterResult(true, "came after the version", ChangeSetFilter.class)
            : new ChangeSetFilterResult(false, "belongs to the version", ChangeSetFilter.class);
  }

  /** Changesets are called {@code 1-inbox}: by their version, and by what they make. */
  static int versionOf(String changeset) {
    return Integer.parseInt(changeset.substring(0, changeset.indexOf('-')));
  }

  /** Parses the changelog, in the scope that {@link #inScope} made. */
  static DatabaseChangeLog parse(Release release, Database database) throws LiquibaseException {
    ResourceAccessor resources = Scope.getCurrentScope().getResourceAccessor();
    return ChangeLogParserFactory.getInstance()
        .getParser(release.changelog(), resources)
        .parse(release.changelog(), new ChangeLogParameters(database), resources);
  }

  /**
   * Runs something in a Liquibase scope that is quiet, reads our class path only, and ends with the
   * call.
   */
  static void inScope(Scope.ScopedRunner<?> runner) throws Exception {
    ResourceAccessor resources = new ClassLoaderResourceAccessor(Changelog.class.getClassLoader());
    try {
      Scope.child(
          Map.of(
              Scope.Attr.logService.name(),
              new LiquibaseLogs(),
              Scope.Attr.ui.name(),
              new LoggerUIService(),
              Scope.Attr.resourceAccessor.name(),
              resources,
              "liquibase.analytics.enabled",
              false),
          runner);
    } finally {
      resources.close();
    }
  }

  private static void run(Session session, Release release, Step step) throws Exception {
    synchronized (ONE_AT_A_TIME) {
      try {
        inScope(() -> runInScope(session, release, step));
      } catch (Exception e) {
        try {
          restore(session);
        } catch (SQLException broken) {
          e.addSuppressed(broken);
        }
        throw e;
      }
      restore(session);
    }
  }

  private static void runInScope(Session session, Release release, Step step) throws Exception {
    // Before the first transaction, which would be idle for as long as parsing takes.
    DatabaseChangeLog changeLog = parse(release, withoutConnection(session.vendor()));
    Database database = database(session);
    ChangeLogHistoryServiceFactory histories =
        Scope.getCurrentScope().getSingleton(ChangeLogHistoryServiceFactory.class);
    ChangeLogHistoryService history = histories.getChangeLogService(database);
    try {
      history.init();
      changeLog.validate(database, new Contexts(), new LabelExpression());
      step.run(database, changeLog, history);
    } finally {
      // The registries would hold on to the connection for the life of the JVM.
      histories.unregister(history);
      Scope.getCurrentScope().getSingleton(ExecutorService.class).clearExecutor("jdbc", database);
    }
  }

  private static Database withoutConnection(Vendor vendor) {
    return switch (vendor) {
      case POSTGRESQL -> new PostgresDatabase();
      case MYSQL -> new MySQLDatabase();
      case MARIADB -> new MariaDBDatabase();
    };
  }

  private static Database database(Session session) throws LiquibaseException {
    boolean postgres = session.vendor() == Vendor.POSTGRESQL;
    Database database;
    if (postgres) {
      database = new PostgresInSchema();
      database.setConnection(new SchemaConnection(session.connection(), session.schema()));
    } else {
      database =
          DatabaseFactory.getInstance()
              .findCorrectDatabaseImplementation(new JdbcConnection(session.connection()));
    }
    database.setDatabaseChangeLogTableName(TABLE);
    database.setDatabaseChangeLogLockTableName(ChangelogLock.TABLE);
    if (postgres) {
      database.setDefaultSchemaName(session.schema());
      database.setLiquibaseSchemaName(session.schema());
      // The search path says which schema is meant, to our own SQL too.
      database.setOutputDefaultSchema(false);
    } else {
      database.setDefaultCatalogName(session.schema());
      database.setLiquibaseCatalogName(session.schema());
    }
    return database;
  }

  private static RuntimeEnvironment environment(Database database) {
    return new RuntimeEnvironment(database, new Contexts(), new LabelExpression());
  }

  private static void restore(Session session) throws SQLException {
    if (!session.connection().getAutoCommit()) {
      session.connection().rollback();
      session.connection().setAutoCommit(true);
    }
  }

  /** Does not set the search path of the whole session after a rollback. */
  private static final class PostgresInSchema extends PostgresDatabase {
    @Override
    public void rollback() throws DatabaseException {
      getConnection().rollback();
    }
  }

  private interface Step {
    void run(Database database, DatabaseChangeLog changeLog, ChangeLogHistoryService history)
        throws LiquibaseException;
  }
}
