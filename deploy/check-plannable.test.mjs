import assert from "node:assert/strict";
import { test } from "node:test";

import { wrongIn, wrongInMigration } from "./check-plannable.mjs";

const sql = (parameters, body, head = "LANGUAGE sql STABLE") =>
  `CREATE OR REPLACE FUNCTION f(${parameters}) RETURNS bigint ${head} AS $$\n    ${body}\n$$;`;

test("[D-H6] a function in SQL with parameters that reads or writes a table is named", () => {
  for (const body of ["SELECT id FROM accounts WHERE id = a", "INSERT INTO accounts VALUES (a)", "SELECT 1 FROM unnest(b) JOIN accounts ON true"]) {
    assert.equal(wrongIn(sql("a bigint", body)).length, 1, body);
  }
});

test("one without parameters, without tables or in PL/pgSQL is not", () => {
  assert.deepEqual(wrongIn(sql("", "UPDATE checks SET at = now()")), []);
  assert.deepEqual(wrongIn(sql("a text[]", "SELECT count(*) FROM unnest(a) AS one -- FROM accounts")), []);
  assert.deepEqual(wrongIn(sql("a text", "SELECT a IS DISTINCT FROM lower(a)")), []);
  assert.deepEqual(wrongIn(sql("a text", "BEGIN RETURN (SELECT id FROM accounts); END", "LANGUAGE plpgsql")), []);
});

test("several arrays in one unnest, ROWS FROM, added identity columns and settings of the planner are named", () => {
  assert.equal(wrongIn("SELECT * FROM unnest(a, b) AS x").length, 1);
  assert.equal(wrongIn("SELECT * FROM ROWS FROM (unnest(a), unnest(b)) AS x").length, 1);
  assert.equal(wrongIn("ALTER TABLE t ALTER id ADD GENERATED ALWAYS AS IDENTITY").length, 1);
  assert.equal(wrongIn(sql("a int", "SELECT a", "LANGUAGE sql SET enable_seqscan = off")).length, 1);
  assert.deepEqual(wrongIn("SELECT * FROM unnest(a) WITH ORDINALITY AS x (one, place)"), []);
});

test("in a migration, added identity columns and triggers on TRUNCATE and another event are named", () => {
  const trigger = (events) => `CREATE TRIGGER t_kept BEFORE ${events} ON t\n    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();`;
  for (const events of ["DELETE OR TRUNCATE", "TRUNCATE OR DELETE", "UPDATE OF a, b OR TRUNCATE"]) {
    assert.deepEqual(wrongInMigration(trigger(events)), ["t_kept: TRUNCATE has a trigger of its own"], events);
  }
  assert.deepEqual(wrongInMigration(trigger("TRUNCATE") + trigger("UPDATE OR DELETE")), []);
  assert.equal(wrongInMigration("ALTER TABLE t ALTER id ADD GENERATED ALWAYS AS IDENTITY").length, 1);
  assert.deepEqual(wrongInMigration("-- ADD GENERATED\nCREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY)"), []);
});
