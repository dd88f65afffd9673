// Checks that the files and tests which SECURITY.md, ARCHITECTURE.md and CONTRIBUTING.md cite exist. A path may be short
// (`app/request_deposit.rs`), with <placeholders>. A test of Rust is cited by its name, one of the web app by its title. And
// that SECURITY.md counts its rows right and says of every requirement that is not met what its risk is. And that
// docs/REQUIREMENTS.md explains the ids that tests name.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const DOCS = ["docs/SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
const SOURCE = /\.(rs|tsx?|mjs|sh|proto|md)$/;

/** What a text cites: paths, names of tests, and titles of tests. */
export function citations(markdown) {
  const spans = [...markdown.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]);
  // Without code, whose quotes are none.
  const prose = markdown.replace(/`[^`\n]+`/g, "");
  return {
    paths: spans.filter((span) => /^[\w<.][\w<>*.-]*(\/[\w<>*.-]+)*\/?$/.test(span) && (SOURCE.test(span) || span.includes("/"))),
    names: spans.filter((span) => /^[a-z\d]+(_[a-z\d]+){2,}$/.test(span)),
    titles: [...prose.matchAll(/"([a-z][^"\n]*)"/g)].map((match) => match[1]).filter((title) => title.split(" ").length > 3),
  };
}

/** Whether a tracked file or folder has this path, or ends with it. */
export function exists(path, files) {
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = path.replace(/\/$/, "").split(/<[^>]+>|\*/).map(literal).join("[^/]+");
  const match = new RegExp(`(^|/)${pattern}(/|$)`);
  return files.some((file) => match.test(file));
}

/** What is wrong with the numbers of requirements, and with the list of those that are not met. */
export function miscounted(markdown) {
  const rows = [...markdown.matchAll(/^\| (\d+\.\d+\.\d+) \|[^|]*\| (.*) \|$/gm)].map(([, id, text]) => ({ id, text }));
  const unmet = rows.filter(({ text }) => text.startsWith("not met")).map(({ id }) => id);
  const unasked = rows.filter(({ text }) => text.startsWith("not applicable")).length;
  const said = /(\d+) are met, (\d+) are not met or only in part, and \d+ are not applicable \((\d+) in/.exec(markdown);
  const counted = [rows.length - unmet.length - unasked, unmet.length, unasked].join(", ");
  const failures = [];
  if (said?.slice(1).join(", ") !== counted) failures.push(`met, not met, not applicable: ${counted}`);
  const listed = new Set(markdown.slice(markdown.indexOf("\n## What is not met")).match(/\d+\.\d+\.\d+/g));
  failures.push(...unmet.filter((id) => !listed.has(id)).map((id) => `${id} is not met, and its risk is not named`));
  return failures;
}

/** The ids of a family of docs/REQUIREMENTS.md that sources name and it does not explain. */
export function unexplained(sources, markdown) {
  const rows = new Set([...markdown.matchAll(/^\| ([A-Z]+(?:-[A-Z]*)?\d+) \|/gm)].map(([, id]) => id));
  const family = (id) => id.replace(/\d+$/, "");
  const families = new Set([...rows].map(family));
  const named = new Set([...sources.matchAll(/\[([A-Z]+(?:-[A-Z]*)?\d+)\]/g)].map(([, id]) => id));
  return [...named].filter((id) => families.has(family(id)) && !rows.has(id)).sort();
}

function check() {
  const root = new URL("../", import.meta.url);
  const read = (path) => readFileSync(new URL(path, root), "utf8");
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  const files = listed.trim().split("\n");
  const sources = files.filter((file) => /\.(rs|sql|sh|ya?ml|conf|tsx?)$/.test(file)).map((file) => [file, read(file)]);
  const text = (kind) => sources.filter(([file]) => kind.test(file)).map(([, source]) => source).join("\n");
  const functions = new Set([...text(/\.rs$/).matchAll(/\bfn (\w+)/g)].map((match) => match[1]));
  // Settings, constraints and columns have long names, too.
  const others = new Set(text(/\.(sql|sh|ya?ml|conf)$/).match(/\w+/g));
  const titles = text(/\.(test|spec)\.tsx?$/);
  const failures = [];
  for (const doc of DOCS) {
    const cited = citations(read(doc));
    const missing = [
      ...cited.paths.filter((path) => !path.startsWith(".stack/") && !exists(path, files)),
      ...cited.names.filter((name) => !functions.has(name) && !others.has(name)),
      ...cited.titles.filter((title) => !titles.includes(title)),
    ];
    failures.push(...missing.map((citation) => `${doc}: ${citation} does not exist`));
  }
  failures.push(...miscounted(read("docs/SECURITY.md")).map((failure) => `docs/SECURITY.md: ${failure}`));
  const requirements = "docs/REQUIREMENTS.md";
  const ids = unexplained(text(/\.(rs|tsx?|sh)$/), read(requirements));
  failures.push(...ids.map((id) => `${requirements}: ${id} is not explained`));
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) check();
