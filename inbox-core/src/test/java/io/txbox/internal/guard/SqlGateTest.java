package io.txbox.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.KnownRow;
import io.txbox.store.PurgeBatch;
import io.txbox.store.StoreDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlGateTest {
  private final SqlGate gate = new SqlGate(MYSQL_LIKE);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "commit",
        "COMMIT WORK",
        " \n\tCommit;",
        "/* a comment */ commit",
        "/* a /* nested */ comment */ commit",
        "-- a comment\ncommit",
        "# a comment\ncommit",
        "/*! commit */",
        "/*!50000 commit */",
        "/*!50000commit*/",
        "/*M!100100commit */",
        "select 5 --1; commit",
        "select 5 --1\n; commit",
        "rollback",
        "ROLLBACK AND CHAIN",
        "begin",
        "start transaction",
        "end",
        "abort",
        "xa start 'x'",
        "prepare transaction 'x'",
        "set autocommit = 1",
        "set @@session.autocommit = 1",
        "SET x = 1, autocommit = 0",
        "set transaction isolation level serializable",
        "set session characteristics as transaction read only",
        "set local synchronous_commit to off",
        "update pg_settings set setting = 'other' where name = 'search_path'",
        "update pg_catalog.pg_settings set setting = 'x'",
        "update t set a = 1; commit",
        "update t set a = 'it''s'; commit; select ';'",
        "update t set a = 'C:\\'; commit; --'",
        "update t set a = 'it\\'s; x'; commit",
        "select $$ ; $$; commit",
        "select $tag$ ; $$ $tag$; commit",
        "select \";\"; commit",
        "select 1 /* /* */; commit",
        "truncate t",
        "-- note\rcommit",
        "{oj commit}",
        "/*! ' */ commit; --'",
        "select 1 as \u20ac$a$; commit; select 1 as \u20ac$a$",
        "select $\u20ac$'$\u20ac$; commit; --'",
        "set local \"synchronous_commit\" to off",
        "set transaction_read_only = on",
        "reset synchronous_commit",
        "discard all",
        "set search_path to other",
        "set session role other",
        "set default_transaction_read_only = on",
      })
  void refusesWhatEndsTheTransaction(String sql) {
    assertThat(gate.look(sql).refused()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "select 1",
        "update t set a = 'x; commit'",
        "update t set commit = 1",
        "insert into begin values (1)",
        "select \"x; commit\"",
        "select `x; commit`",
        "select 1 -- ; commit",
        "select 1 /* ; commit */",
        "do $$ begin perform 1; end $$",
        "create function f() as $body$ begin; commit; $body$",
        "rollback to savepoint a",
        "ROLLBACK WORK TO a",
        "savepoint a",
        "release savepoint a",
        "set local statement_timeout = 100",
        "set constraints all deferred",
        "set local search_path to other",
        "set @counter = 1",
        "update t set \"commit\" = 1",
        "select 1; select 2;",
        "with x as (select 1) select * from x",
        "call settle(17)",
        "prepare plan as select 1",
        "select a #> '{b}' from t",
      })
  void admitsWhatDoesNot(String sql) {
    assertThat(gate.look(sql).refused()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set local statement_timeout = 100",
        "SET CONSTRAINTS ALL DEFERRED",
        "set @counter = 1",
        "select 1; /* then */ set local role other",
        "select a, Set_Config('search_path', 'b', true) from t",
        "do $$ begin end $$",
        "call settle(17)",
        "{call settle(17)}",
        "{ CALL settle(?) }",
        "{? = call settle(?)}",
        "savepoint a",
        "rollback to savepoint a",
        "rollback work to a",
        "release savepoint a",
        "declare c cursor for select 1",
        "create temp table t (a int) on commit drop",
        "CREATE LOCAL TEMPORARY TABLE t (a int)",
        "create or replace temp view v as select 1",
        "select a into temp b from t",
        "select a into  local temporary b from t",
        "select a into/**/temp b from t",
        "select a into -- here\n temp b from t",
        "select a into pg_temp.b from t",
        "create or replace local temp view v as select 1",
        "create table pg_temp.t (a int)",
        "explain analyze create temp table t as select 1",
        "select U&\"set\\005fconfig\"('search_path', 'b', true)",
        "prepare plan as select 1",
      })
  void knowsWhatLeavesTraces(String sql) {
    assertThat(gate.look(sql).leavesTraces()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into t (a) values ('set local x')",
        "update t set a = 1 where b = 2",
        "select a from t for update",
        "insert into temperatures (a) values (1)",
        "insert into readings (temp) values (1)",
        "select current_setting('x')",
      })
  void knowsWhatLeavesNone(String sql) {
    assertThat(gate.look(sql).leavesTraces()).isFalse();
  }

  private static final StoreDialect MYSQL_LIKE =
      new StoreDialect() {
        @Override
        public boolean commitsImplicitly(List<String> firstWords) {
          return firstWords.get(0).equals("TRUNCATE");
        }

        @Override
        public Set<SQLDialect> families() {
          throw new UnsupportedOperationException();
        }

        @Override
        public void check(DSLContext dsl) {
          throw new UnsupportedOperationException();
        }

        @Override
        public Claim claim(
            Connection connection, InboxSchema schema, List<InboxRow> rows, Duration wait) {
          throw new UnsupportedOperationException();
        }

        @Override
        public List<KnownRow> find(
            Connection connection, InboxSchema schema, short scopeId, Collection<String> keys) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void readCommitted(Connection connection) {
          throw new UnsupportedOperationException();
        }

        @Override
        public String session(Connection connection) {
          throw new UnsupportedOperationException();
        }

        @Override
        public Instant time(Connection connection) {
          throw new UnsupportedOperationException();
        }

        @Override
        public int purge(Connection connection, InboxSchema schema, PurgeBatch batch) {
          throw new UnsupportedOperationException();
        }

        @Override
        public boolean dollarQuotes() {
          return true;
        }

        @Override
        public boolean dashesNeedSpace() {
          return true;
        }

        @Override
        public void checkBeforeCommit(Connection connection) {
          throw new UnsupportedOperationException();
        }

        @Override
        public FailureKind classify(SQLException error) {
          throw new UnsupportedOperationException();
        }
      };
}
