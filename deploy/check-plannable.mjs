// Finds the forms in the wallet's SQL that a distributed engine (Citus, a schema per bucket of members) cannot plan or does
// not keep: functions in SQL with parameters that read tables, several arrays in one unnest, identity columns that are added
// to a table, settings of the planner in the definition of a function, and triggers on TRUNCATE and another event.
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("../services/", import.meta.url);

const FUNCTION = /CREATE (?:OR REPLACE )?FUNCTION (\w+)\s*\(([^]*?)\)\s*RETURNS([^]*?)\bAS (\$\w*\$)([^]*?)\4/g;
/** A relation that is read or written, and not a function in FROM or a part of an expression. */
const RELATION = /\b(?<!DISTINCT )(?:FROM|JOIN|INTO|UPDATE)\s+(?!LATERAL\b|unnest\b|ONLY\b)[a-z_]+\b(?!\s*\()/;

const TRIGGER = /\bTRIGGER\s+(\w+)\s+(?:BEFORE|AFTER)\s+([\w\s,]*?)\s+ON\b/gi;

const withoutComments = (text) => text.replace(/--.*$/gm, "");

/** What is wrong in a migration. Its functions are replaced by the definitions. */
export function wrongInMigration(text) {
  const code = withoutComments(text);
  const wrong = [];
  if (/\bADD GENERATED\b/i.test(code)) wrong.push("ADD GENERATED: an identity column stands in CREATE TABLE");
  for (const [, name, events] of code.matchAll(TRIGGER)) {
    if (/\bOR\s+TRUNCATE\b|\bTRUNCATE\s+OR\b/i.test(events)) wrong.push(`${name}: TRUNCATE has a trigger of its own`);
  }
  return wrong;
}

/** What is wrong in the definitions of functions. */
export function wrongIn(text) {
  const code = withoutComments(text);
  const wrong = wrongInMigration(text);
  for (const [, name, parameters, head, , body] of code.matchAll(FUNCTION)) {
    if (/LANGUAGE sql\b/i.test(head) && parameters.trim() && RELATION.test(body)) {
      wrong.push(`${name}: a function in SQL with parameters reads a table; write it in PL/pgSQL, or a view`);
    }
    if (/\bSET (?:LOCAL )?(?:plan_cache_mode|enable_\w+)/i.test(head)) wrong.push(`${name}: has a setting of the planner`);
  }
  if (/\bROWS FROM\b/i.test(code)) wrong.push("ROWS FROM: use WITH ORDINALITY and the position in the other array");
  if (/\bunnest\s*\(\s*[\w.]+(?:::[\w[\]]+)?\s*,/i.test(code)) wrong.push("unnest of several arrays: use WITH ORDINALITY");
  return wrong;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = (folder) => readdirSync(new URL(folder, root)).map((name) => folder + name);
  const wrong = [
    ...files("wallet/sql/").map((name) => [name, wrongIn]),
    // The tables of the chassis are in the wallet's schema, too.
    ...["chassis/migrations/", "wallet/migrations/"].flatMap(files).map((name) => [name, wrongInMigration]),
  ].flatMap(([name, wrongOf]) => wrongOf(readFileSync(new URL(name, root), "utf8")).map((one) => `${name}: ${one}`));
  for (const one of wrong) console.error(`services/${one}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
