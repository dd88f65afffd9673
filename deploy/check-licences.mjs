// Checks the licences of all crates and npm packages against the lists of deny.toml, without a network.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const policy = readFileSync(new URL("deny.toml", root), "utf8");
const allowed = new Set(strings(/^allow = \[([^\]]*)\]/m));
const banned = new Set([...policy.matchAll(/\{ name = "([^"]+)"/g)].map((match) => match[1]));

function strings(section) {
  return [...policy.match(section)[1].matchAll(/"([^"]+)"/g)].map((match) => match[1]);
}

/** Whether an SPDX expression can be satisfied: AND binds before OR; "A/B" is an old way to write OR. */
function acceptable(expression) {
  if (!expression) return false;
  const tokens = expression.replaceAll("/", " OR ").match(/\(|\)|[^\s()]+/g);
  let position = 0;
  const any = () => {
    let result = every();
    while (tokens[position] === "OR") {
      position += 1;
      result = every() || result;
    }
    return result;
  };
  const every = () => {
    let result = one();
    while (tokens[position] === "AND") {
      position += 1;
      result = one() && result;
    }
    return result;
  };
  const one = () => {
    if (tokens[position] === "(") {
      position += 1;
      const result = any();
      position += 1;
      return result;
    }
    let licence = tokens[position];
    position += 1;
    if (tokens[position] === "WITH") {
      licence += ` WITH ${tokens[position + 1]}`;
      position += 2;
    }
    return allowed.has(licence);
  };
  return any() && position === tokens.length;
}

function crates() {
  const options = { cwd: root, maxBuffer: 1 << 28 };
  const target = /host: (\S+)/.exec(execFileSync("rustc", ["-vV"], options).toString())[1];
  const args = ["metadata", "--format-version=1", "--locked", "--filter-platform", target];
  const metadata = JSON.parse(execFileSync("cargo", args, options));
  const resolved = new Set(metadata.resolve.nodes.map((node) => node.id));
  return metadata.packages
    .filter((crate) => resolved.has(crate.id) && crate.source)
    .map(({ name, version, license }) => ({ name, version, licence: license }));
}

/** Of packages whose package.json has none. */
const namedInReadme = { "combine-errors": "MIT" };

function npmPackages() {
  const lock = JSON.parse(readFileSync(new URL("web/package-lock.json", root)));
  return Object.entries(lock.packages)
    .filter(([path]) => path.startsWith("node_modules/"))
    .map(([path, { version, license }]) => {
      const name = path.split("node_modules/").pop();
      return { name, version, licence: license ?? namedInReadme[name] };
    });
}

/** Additional licences for packages that only build or test the web app and are not shipped. */
const allowedForNpm = ["BlueOak-1.0.0", "CC-BY-4.0", "MPL-2.0", "OFL-1.1", "Python-2.0", "WTFPL"];

const wrong = crates().flatMap((crate) => [
  ...(acceptable(crate.licence) ? [] : [`crate ${crate.name} ${crate.version}: ${crate.licence ?? "no licence"}`]),
  ...(banned.has(crate.name) ? [`crate ${crate.name} ${crate.version} is banned`] : []),
]);
for (const licence of allowedForNpm) allowed.add(licence);
for (const found of npmPackages()) {
  if (!acceptable(found.licence)) wrong.push(`npm ${found.name} ${found.version}: ${found.licence ?? "no licence"}`);
}
if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
