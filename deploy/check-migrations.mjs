// A migration runs while the previous version is serving, so it may hold locks only briefly. Prints every statement
// that blocks readers or writers of an existing table, and what to write instead.
//
//   node deploy/check-migrations.mjs
//
// The migrate command waits at most a second for a lock (chassis::db); this checks how long it would hold one. A
// migration names the tables that have only a few rows: "-- small: plans, methods".

import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("..", import.meta.url);
// The schema makes a database out of nothing: its tables are empty, and nobody uses them yet.
const SCHEMA = "0001_schema.sql";
const NAME = String.raw`(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?"?(\w+)"?`;

/** The statements of a file, without comments, with every text and function body replaced by nothing. */
export function statements(sql) {
  return sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim())
    .filter((statement) => statement !== "");
}

/** What is wrong with one action of an ALTER TABLE. */
function ofAlter(action) {
  const rules = [
    [/^add constraint .*\b(check|foreign key|references)\b(?!.*not valid)/, "add it NOT VALID, and VALIDATE it in a later file"],
    [/^add (constraint \w+ )?(unique|primary key)\b(?!.*using index)/, "build the index CONCURRENTLY, then ADD CONSTRAINT … USING INDEX"],
    [/^add constraint .*\bexclude\b/, "an exclusion constraint cannot be added without a full lock"],
    [/^(add|add column) (?!constraint).*\bnot null\b(?!.*\bdefault\b)/, "give it a DEFAULT, or leave it NULL and fill it in steps"],
    [/^(add|add column) (?!constraint).*\b(generated|serial|bigserial|clock_timestamp|gen_random_uuid|random|nextval)\b/, "this rewrites the table: add the column NULL, set its default after"],
    [/^(add|add column) (?!constraint).*\b(unique|primary key|check|references)\b/, "add the constraint by itself, NOT VALID or USING INDEX"],
    [/^alter (column )?"?\w+"? (set data )?type\b/, "this rewrites the table: add a column, fill it in steps, change over"],
    [/^alter (column )?"?\w+"? set not null\b/, "this reads the whole table: add CHECK (… IS NOT NULL) NOT VALID, and VALIDATE it in a later file"],
    [/^set (logged|unlogged|tablespace|access method)\b/, "this rewrites the table"],
  ];
  return rules.find(([pattern]) => pattern.test(action))?.[1];
}

/** Splits the actions of an ALTER TABLE at its outer commas. */
function actions(text) {
  let depth = 0;
  const parts = [""];
  for (const letter of text) {
    depth += letter === "(" ? 1 : letter === ")" ? -1 : 0;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}

/** All findings in one file. */
export function complaints(sql) {
  const small = new Set([...sql.matchAll(/^-- small: (.*)$/gm)].flatMap(([, names]) => names.split(/,\s*/)));
  const all = statements(sql).map((statement) => statement.toLowerCase());
  const made = new Set(all.flatMap((one) => one.match(new RegExp(`^create (?:unlogged )?table ${NAME}`))?.[1] ?? []));
  const grows = (table) => !made.has(table) && !small.has(table);
  const found = [];
  const say = (statement, remedy) => found.push(`${statement}\n    ${remedy}`);
  let altered = false;
  const validated = [];
  for (const one of all) {
    const index = one.match(new RegExp(`^create (?:unique )?index (concurrently )?.*?\\bon (?:only )?"?(\\w+)"?`));
    if (index && !index[1] && grows(index[2])) say(one, "CREATE INDEX CONCURRENTLY, alone in a file that begins with -- no-transaction");
    if (/\bconcurrently\b/.test(one) && (all.length > 1 || !/^-- no-transaction/.test(sql))) {
      say(one, "CONCURRENTLY stands alone in a file that begins with -- no-transaction");
    }
    const alter = one.match(new RegExp(`^alter table ${NAME} (.*)$`));
    if (alter && grows(alter[1])) {
      altered = true;
      for (const action of actions(alter[2])) {
        if (/^validate constraint\b/.test(action)) validated.push(one);
        const remedy = ofAlter(action);
        if (remedy) say(one, remedy);
      }
    }
    const rows = one.match(new RegExp(`^(?:update|delete from|truncate(?: table)?|cluster|lock(?: table)?|vacuum full|reindex table) ${NAME}`));
    if (rows && grows(rows[1])) say(one, "this touches every row or locks the table: do it in steps, from the service or by hand");
    if (/^insert into .* select\b/.test(one) && !made.has(one.match(/^insert into "?(\w+)/)?.[1])) {
      say(one, "copies rows while locks are held: do it in steps, from the service");
    }
    const trigger = one.match(/^create (?:or replace )?(?:constraint )?trigger .*? on "?(\w+)"?/);
    if (trigger && grows(trigger[1])) altered = true;
  }
  if (altered && all.length > validated.length) {
    for (const one of validated) say(one, "VALIDATE in a file of its own: the lock of the ALTER TABLE beside it would be held meanwhile");
  }
  return found;
}

function main() {
  let failed = false;
  for (const service of readdirSync(new URL("services", root))) {
    let names;
    try {
      names = readdirSync(new URL(`services/${service}/migrations`, root));
    } catch {
      continue;
    }
    const versions = names.filter((name) => name.endsWith(".sql")).map((name) => name.split("_")[0]);
    for (const twice of versions.filter((version, place) => versions.indexOf(version) !== place)) {
      console.error(`services/${service}/migrations: two files are version ${twice}`);
      failed = true;
    }
    for (const name of names.filter((name) => name.endsWith(".sql") && name !== SCHEMA).sort()) {
      const path = `services/${service}/migrations/${name}`;
      for (const complaint of complaints(readFileSync(new URL(path, root), "utf8"))) {
        console.error(`${path}: ${complaint}`);
        failed = true;
      }
    }
  }
  process.exitCode = failed ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();
