package io.txbox.samples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.DedupKeys;
import io.txbox.HandlerFailedException;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.TransactionContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.JdbcTemplate;

/** All that is said of a handler's transaction, when Spring holds the transaction. */
class SpringTransactionIT extends TransactionContract {
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  @Override
  protected TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  protected StoreDialect dialect() {
    return new PostgresDialect();
  }

  @Override
  protected DSLContext dsl(DataSource pool) {
    return SpringJooq.dsl(pool);
  }

  @Test
  void whatOtherBeansWriteOnTheSameThreadIsInTheTransaction() {
    DataSource pool = database().dataSource();
    JdbcTemplate jdbc = new JdbcTemplate(pool);
    jdbc.execute("create table note (text text not null)");
    Inbox inbox =
        Inbox.builder("spring", SpringJooq.dsl(pool), dialect())
            .handler(
                "NOTE",
                DedupKeys.keys(),
                (message, tx) -> {
                  jdbc.update("insert into note values (?)", message.keys().orElseThrow());
                  if (message.tag().isPresent()) {
                    throw new IllegalStateException("refused");
                  }
                })
            .build();

    assertThat(inbox.receive(note("kept").build()).isProcessed()).isTrue();
    assertThatThrownBy(() -> inbox.receive(note("rolled back").tag("BAD").build()))
        .isInstanceOf(HandlerFailedException.class);

    assertThat(jdbc.queryForList("select text from note", String.class)).containsExactly("kept");
    assertThat(inbox.receive(note("rolled back").build()).isProcessed()).isTrue();
  }

  private static InboxMessage.Builder note(String key) {
    return InboxMessage.builder("NOTE").keys(key);
  }
}
