package io.txbox.store;

import java.io.Serial;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** The versions of the schema that were applied. */
public final class InboxSchemaTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Integer> version =
      createField(DSL.name("version"), SQLDataType.INTEGER.nullable(false), this);

  InboxSchemaTable(Name name) {
    super(name);
  }
}
