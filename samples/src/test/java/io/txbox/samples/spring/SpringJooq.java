package io.txbox.samples.spring;

import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DataSourceConnectionProvider;
import org.jooq.impl.DefaultConfiguration;
import org.springframework.boot.autoconfigure.jooq.ExceptionTranslatorExecuteListener;
import org.springframework.boot.autoconfigure.jooq.SpringTransactionProvider;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** jOOQ as Spring Boot's auto-configuration sets it up. */
final class SpringJooq {
  private SpringJooq() {}

  static DSLContext dsl(DataSource pool) {
    return DSL.using(
        new DefaultConfiguration()
            .set(SQLDialect.POSTGRES)
            .set(new DataSourceConnectionProvider(new TransactionAwareDataSourceProxy(pool)))
            .set(new SpringTransactionProvider(new DataSourceTransactionManager(pool)))
            .set(ExceptionTranslatorExecuteListener.DEFAULT));
  }
}
