-- What version 2 adds, for the names in it; the names of version 1 are in that one's file.

-- 2-inbox-trace
ALTER TABLE inbox ADD COLUMN trace text COLLATE "C";

-- 2-inbox-note
CREATE TABLE inbox_note (
  parked_id bigint NOT NULL,
  note text COLLATE "C" NOT NULL,
  CONSTRAINT inbox_note_pkey PRIMARY KEY (parked_id)
);

-- 2-inbox-processed-at
CREATE INDEX inbox_processed_at_idx ON inbox (processed_at);

-- 2-version
INSERT INTO inbox_schema (version) VALUES (2);
