import assert from "node:assert/strict";
import { test } from "node:test";

import { complaints } from "./check-migrations.mjs";

const refused = [
  "CREATE INDEX entries_posting ON entries (posting_id)",
  "CREATE UNIQUE INDEX entries_posting ON ONLY entries (posting_id)",
  "CREATE INDEX CONCURRENTLY entries_posting ON entries (posting_id)",
  "-- no-transaction\nCREATE INDEX CONCURRENTLY one ON entries (a); CREATE INDEX CONCURRENTLY two ON entries (b);",
  "ALTER TABLE postings ADD CONSTRAINT postings_kind CHECK (kind <> '')",
  "ALTER TABLE postings ADD COLUMN a text, ADD CONSTRAINT postings_user FOREIGN KEY (user_id) REFERENCES users (id)",
  "ALTER TABLE postings ADD CONSTRAINT postings_once UNIQUE (kind, business_id)",
  "ALTER TABLE postings ADD COLUMN origin text NOT NULL",
  "ALTER TABLE postings ADD COLUMN made_at timestamptz NOT NULL DEFAULT clock_timestamp()",
  "ALTER TABLE postings ADD number bigint GENERATED ALWAYS AS IDENTITY",
  "ALTER TABLE postings ADD COLUMN origin text REFERENCES origins (id)",
  "ALTER TABLE postings ALTER COLUMN kind TYPE varchar(20)",
  "ALTER TABLE ONLY postings ALTER kind SET NOT NULL",
  "ALTER TABLE postings ADD CONSTRAINT a CHECK (b > 0) NOT VALID; ALTER TABLE postings VALIDATE CONSTRAINT a;",
  "UPDATE transactions SET origin = 'web'",
  "DELETE FROM outbox WHERE published_at IS NOT NULL",
  "TRUNCATE outbox",
  "LOCK TABLE accounts",
  "INSERT INTO postings (kind) SELECT kind FROM old_postings",
];

const allowed = [
  "-- no-transaction\nCREATE INDEX CONCURRENTLY entries_posting ON entries (posting_id);",
  "CREATE TABLE holds (id uuid NOT NULL); CREATE INDEX holds_id ON holds (id); ALTER TABLE holds ADD UNIQUE (id);",
  "ALTER TABLE postings ADD COLUMN origin text; ALTER TABLE postings ALTER COLUMN origin SET DEFAULT 'web';",
  "ALTER TABLE postings ADD COLUMN origin text NOT NULL DEFAULT 'web'",
  "ALTER TABLE postings ADD CONSTRAINT postings_kind CHECK (kind <> '') NOT VALID",
  "ALTER TABLE postings VALIDATE CONSTRAINT postings_kind",
  "ALTER TABLE postings ADD CONSTRAINT postings_once UNIQUE USING INDEX postings_once",
  "ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0.01)",
  "-- small: plans\nUPDATE plans SET title = 'x'; ALTER TABLE plans ALTER COLUMN title SET NOT NULL;",
  "-- UPDATE transactions SET a = 1;\nSELECT 'DELETE FROM outbox; '';';",
  "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE accounts SET balance = 0; $$;",
  "GRANT SELECT ON postings TO wallet; DROP FUNCTION IF EXISTS old();",
];

test("[A13] a migration that keeps a lock for long is refused", () => {
  for (const sql of refused) assert.notDeepEqual(complaints(sql), [], sql);
});

test("[A13] one that takes its locks for a moment passes", () => {
  for (const sql of allowed) assert.deepEqual(complaints(sql), [], sql);
});
