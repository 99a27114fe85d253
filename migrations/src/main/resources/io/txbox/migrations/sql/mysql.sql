-- The tables of txbox for MySQL and MariaDB: the same as Migrations.migrate(dataSource) makes, without its changelog tables.
-- For those who apply SQL by their own means; Migrations.verify(dataSource) passes afterwards.
-- Apply it to the database that txbox is to use, as its owner.
-- Generated from the Liquibase changelog (see PlainSqlTest): do not edit.

-- 1-inbox-schema
CREATE TABLE inbox_schema (
  version int NOT NULL,
  PRIMARY KEY (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: the versions of this schema that are complete';

-- 1-inbox-scope
CREATE TABLE inbox_scope (
  horizon bigint NULL COMMENT 'announced purge horizon, epoch ms: never decreases, a message older than this plus the margin is late',
  margin bigint NULL COMMENT 'ms: the most that the times of two copies of a message may be apart',
  horizon_announced_at bigint NULL COMMENT 'when the horizon was announced, epoch ms',
  purge_horizon bigint NULL COMMENT 'rows of before this may be purged, epoch ms: follows horizon once every instance knows that one',
  created_at bigint NOT NULL,
  id smallint NOT NULL AUTO_INCREMENT,
  consumer_group varbinary(255) NOT NULL,
  scope varbinary(255) NOT NULL COMMENT 'the original topic, unless the user chose another name',
  PRIMARY KEY (id),
  UNIQUE KEY inbox_scope_consumer_group_scope_key (consumer_group, scope)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: consumer group and scope as a small id, and how far the scope may be purged';

-- 1-inbox
CREATE TABLE inbox (
  message_time bigint NOT NULL COMMENT 'least of born, stored and appended time, epoch ms',
  processed_at bigint NOT NULL COMMENT 'epoch ms, never below message_time nor that of a copy that came later: from here on it is kept for the retention',
  body_fingerprint bigint NOT NULL,
  scope_id smallint NOT NULL,
  state smallint NOT NULL COMMENT '0 PROCESSED, 1 PARKED, 2 DISCARDED',
  dedup_key varbinary(255) NOT NULL,
  message_id varbinary(255) NOT NULL,
  PRIMARY KEY (scope_id, dedup_key),
  KEY inbox_scope_id_state_processed_at_idx (scope_id, state, processed_at),
  CONSTRAINT inbox_state_check CHECK (state BETWEEN 0 AND 2)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: one row for each message that was taken, inserted in the transaction of its effects';

-- 1-inbox-parked
CREATE TABLE inbox_parked (
  id bigint NOT NULL AUTO_INCREMENT,
  parked_at bigint NOT NULL,
  message_time bigint NOT NULL,
  born_at bigint NOT NULL,
  stored_at bigint NULL,
  queue_offset bigint NULL,
  queue int NULL,
  attempt int NOT NULL,
  scope_id smallint NOT NULL,
  dedup_key varbinary(255) NULL COMMENT 'null for a message that has no key',
  ordering_key varbinary(255) NULL COMMENT 'null unless messages that come later with this ordering key are parked too, while this one has a body',
  reason varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  detail mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  topic varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  broker varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  properties longblob NOT NULL COMMENT 'bytes, as they came',
  body longblob NULL COMMENT 'null once replayed',
  PRIMARY KEY (id),
  KEY inbox_parked_dedup_key_scope_id_idx (dedup_key, scope_id),
  KEY inbox_parked_ordering_key_scope_id_idx (ordering_key, scope_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: messages that wait for an operator, never purged';

-- 1-inbox-queue
CREATE TABLE inbox_queue (
  consumed_through bigint NULL COMMENT 'epoch ms: all that was stored before is consumed (null: that was never known)',
  seen_at bigint NOT NULL COMMENT 'when a broker last spoke of it, epoch ms',
  queue int NOT NULL,
  consumer_group varbinary(255) NOT NULL,
  topic varbinary(255) NOT NULL,
  broker varbinary(255) NOT NULL,
  PRIMARY KEY (consumer_group, topic, broker, queue)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: the queues that a consumer group has had: one that is missing stops its purge clock until it is retired';

-- 1-inbox-clock
CREATE TABLE inbox_clock (
  sampled_at bigint NOT NULL,
  consumed_through bigint NOT NULL,
  look_back bigint NOT NULL COMMENT 'ms: for how long the purge clock of who wrote this looks back; the longest one counts for all',
  consumer_group varbinary(255) NOT NULL,
  PRIMARY KEY (consumer_group, sampled_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: how far a consumer group had consumed at times of the last hours: the purge clock shows what it was some retry ladders ago';

-- 1-inbox-lease
CREATE TABLE inbox_lease (
  term bigint NOT NULL COMMENT 'grows with each holder: who has an older one has lost it',
  beat bigint NOT NULL COMMENT 'grows while the holder lives: who sees it stand still for the lease time may take the lease',
  name varbinary(255) NOT NULL,
  holder varbinary(255) NULL COMMENT 'null while nobody has it',
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='txbox: who does what only one may do at a time';

-- 1-version
INSERT INTO inbox_schema (version) VALUES (1);
