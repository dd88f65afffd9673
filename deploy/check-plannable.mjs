// Finds the forms in the wallet's SQL that a distributed engine (Citus, a schema per bucket of members) cannot plan:
// functions in SQL with parameters that read tables, several arrays in one unnest, identity columns that are added to a
// table, and settings of the planner in the definition of a function.
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("../services/wallet/", import.meta.url);
/** What the version before calls; the next version drops it. */
const LEAVING = "30_version_before.sql";

const FUNCTION = /CREATE (?:OR REPLACE )?FUNCTION (\w+)\s*\(([^]*?)\)\s*RETURNS([^]*?)\bAS (\$\w*\$)([^]*?)\4/g;
/** A relation that is read or written, and not a function in FROM or a part of an expression. */
const RELATION = /\b(?<!DISTINCT )(?:FROM|JOIN|INTO|UPDATE)\s+(?!LATERAL\b|unnest\b|ONLY\b)[a-z_]+\b(?!\s*\()/;

/** What is wrong in a file. */
export function wrongIn(text) {
  const code = text.replace(/--.*$/gm, "");
  const wrong = [];
  for (const [, name, parameters, head, , body] of code.matchAll(FUNCTION)) {
    if (/LANGUAGE sql\b/i.test(head) && parameters.trim() && RELATION.test(body)) {
      wrong.push(`${name}: a function in SQL with parameters reads a table; write it in PL/pgSQL, or a view`);
    }
    if (/\bSET (?:LOCAL )?(?:plan_cache_mode|enable_\w+)/i.test(head)) wrong.push(`${name}: has a setting of the planner`);
  }
  if (/\bROWS FROM\b/i.test(code)) wrong.push("ROWS FROM: use WITH ORDINALITY and the position in the other array");
  if (/\bunnest\s*\(\s*[\w.]+(?:::[\w[\]]+)?\s*,/i.test(code)) wrong.push("unnest of several arrays: use WITH ORDINALITY");
  if (/\bADD GENERATED\b/i.test(code)) wrong.push("ADD GENERATED: an identity column stands in CREATE TABLE");
  return wrong;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const definitions = readdirSync(new URL("sql/", root)).filter((name) => name !== LEAVING).map((name) => `sql/${name}`);
  const migrations = readdirSync(new URL("migrations/", root)).map((name) => `migrations/${name}`);
  const wrong = [
    ...definitions.flatMap((name) => wrongIn(readFileSync(new URL(name, root), "utf8")).map((one) => `${name}: ${one}`)),
    // Functions of migrations are replaced by the definitions.
    ...migrations.filter((name) => /\bADD GENERATED\b/i.test(readFileSync(new URL(name, root), "utf8"))).map((name) => `${name}: ADD GENERATED`),
  ];
  for (const one of wrong) console.error(`services/wallet/${one}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
