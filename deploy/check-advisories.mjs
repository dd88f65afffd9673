// Looks up the locked crates in a copy of the RustSec advisory database, without a network. Prints every advisory that
// concerns a locked version, and fails for those about vulnerabilities. Without a copy nothing can be looked up: this says
// so, and fails only if ADVISORIES=required.
//
//   node deploy/check-advisories.mjs [FOLDER]      default: ADVISORY_DB, else .advisory-db
//
// docs/SECURITY.md ("Vulnerable components") says how the copy is refreshed.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("..", import.meta.url);
const LOCKS = ["Cargo.lock", "deploy/bench/Cargo.lock"];
/** An older copy does not tell what was found since. */
const MOST_DAYS = 14;

/** The crates of a lock file, as `[name, version]`. */
export const lockedIn = (lock) =>
  [...lock.matchAll(/^name = "(.+)"\nversion = "(.+)"\nsource = "registry\+/gm)].map(([, name, version]) => [name, version]);

/** A version as numbers; a pre-release comes before its release. */
function parse(text) {
  const [core, pre] = text.split("+")[0].split(/-(.*)/);
  const [major = 0, minor = 0, patch = 0] = core.split(".").map(Number);
  return { numbers: [major, minor, patch], pre: pre ?? "", given: core.split(".").length };
}

function compare(one, other) {
  for (const place of [0, 1, 2]) {
    if (one.numbers[place] !== other.numbers[place]) return one.numbers[place] - other.numbers[place];
  }
  if (one.pre === other.pre) return 0;
  if (one.pre === "") return 1;
  if (other.pre === "") return -1;
  return one.pre.localeCompare(other.pre, "en", { numeric: true });
}

/** The first version that a caret or tilde requirement excludes. */
function after({ numbers: [major, minor, patch], given }, operator) {
  const upTo = (...numbers) => ({ numbers, pre: "", given: 3 });
  if (operator === "~") return given === 1 ? upTo(major + 1, 0, 0) : upTo(major, minor + 1, 0);
  if (major > 0 || given === 1) return upTo(major + 1, 0, 0);
  if (minor > 0 || given === 2) return upTo(0, minor + 1, 0);
  return upTo(0, 0, patch + 1);
}

/** Whether a version meets a requirement, e.g. `>= 1.2.3, < 2`. */
export function meets(version, requirement) {
  const found = parse(version);
  return requirement.split(",").every((part) => {
    const [, operator, text] = /^\s*(>=|<=|>|<|=|\^|~)?\s*([0-9][^\s]*)\s*$/.exec(part) ?? [];
    if (text === undefined) throw new Error(`not a version requirement: ${requirement}`);
    const wanted = parse(text);
    const order = compare(found, wanted);
    switch (operator) {
      case ">=": return order >= 0;
      case "<=": return order <= 0;
      case ">": return order > 0;
      case "<": return order < 0;
      case "=": return order === 0;
      default: return order >= 0 && compare(found, after(wanted, operator)) < 0;
    }
  });
}

/** The advisory of a file of the database: TOML between fences, then Markdown. */
export function advisory(text) {
  const toml = /```toml\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  const field = (name) => new RegExp(`^${name} = "(.*)"$`, "m").exec(toml)?.[1];
  const list = (name) => {
    const values = new RegExp(`^${name} = \\[([\\s\\S]*?)\\]`, "m").exec(toml)?.[1] ?? "";
    return [...values.matchAll(/"([^"]*)"/g)].map(([, value]) => value);
  };
  if (!field("id") || !field("package")) throw new Error("an advisory without id or package");
  return {
    id: field("id"),
    crate: field("package"),
    date: field("date") ?? "",
    title: /^# (.*)$/m.exec(text)?.[1] ?? "",
    isWithdrawn: field("withdrawn") !== undefined,
    isInformational: field("informational") !== undefined,
    fixed: [...list("patched"), ...list("unaffected")],
  };
}

/** Whether an advisory concerns a crate at a version. */
export const concerns = (one, [name, version]) =>
  one.crate === name && !one.isWithdrawn && !one.fixed.some((requirement) => meets(version, requirement));

function read(folder) {
  const crates = join(folder, "crates");
  return readdirSync(crates, { recursive: true, encoding: "utf8" })
    .filter((name) => /RUSTSEC-\d{4}-\d{4}\.md$/.test(name))
    .map((name) => advisory(readFileSync(join(crates, name), "utf8")));
}

function main() {
  const folder = process.argv[2] ?? process.env.ADVISORY_DB ?? fileURLToPath(new URL(".advisory-db", root));
  if (!existsSync(join(folder, "crates"))) {
    console.log(`ADVISORIES NOT CHECKED: there is no copy of the RustSec database in ${folder} (docs/SECURITY.md)`);
    return process.env.ADVISORIES === "required" ? 1 : 0;
  }
  const all = read(folder);
  const newest = all.map(({ date }) => date).sort().at(-1);
  const days = Math.floor((Date.now() - Date.parse(newest)) / 86_400_000);
  let vulnerable = 0;
  const locked = new Map();
  for (const lock of LOCKS) {
    for (const crate of lockedIn(readFileSync(new URL(lock, root), "utf8"))) locked.set(crate.join(" "), crate);
  }
  for (const crate of locked.values()) {
    for (const one of all.filter((one) => concerns(one, crate))) {
      vulnerable += one.isInformational ? 0 : 1;
      console.log(`${one.isInformational ? "note" : "VULNERABLE"} ${crate.join(" ")}: ${one.id} ${one.title}`);
    }
  }
  console.log(`${all.length} advisories, the newest of ${newest}, ${locked.size} crates, ${vulnerable} vulnerable`);
  const isOld = days > MOST_DAYS;
  if (isOld) console.log(`the copy is at least ${days} days old: refresh it`);
  return vulnerable > 0 || isOld ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = main();
