// Finds import cycles between the modules of a crate. Modules in a cycle cannot be read, moved or tested separately.
// Prints the path of each cycle.
//
//   node deploy/check-cycles.mjs
//
// A module is a file. One file depends on another if a `use` or a path in it names something that the other defines:
// `crate::error::ApiError` is a dependency on error.rs. A re-exported name (`pub use self::call::Call`) counts as a
// dependency on the file that defines it, so neither `mod x;` nor a re-export is a dependency. Unit
// tests, comments and strings do not count.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The text without comments, strings and items of `#[cfg(test)]`. */
export function code(text) {
  const bare = text
    .replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^\n]{1,8}?)'/g, (found) =>
      found.startsWith("/") ? " " : '""',
    );
  let kept = "";
  let rest = bare;
  for (;;) {
    const test = rest.search(/#\[cfg\(test\)\]/);
    if (test < 0) return kept + rest;
    kept += rest.slice(0, test);
    rest = rest.slice(test + itemLength(rest.slice(test)));
  }
}

/** The length of the item at the beginning of a text: to its semicolon or to the end of its braces. */
function itemLength(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ("{([".includes(text[at])) depth += 1;
    if ("})]".includes(text[at])) depth -= 1;
    if (depth === 0 && (text[at] === ";" || text[at] === "}")) return at + 1;
  }
  return text.length;
}

/** `a::{b, c::{self, d as e}}` as [{ path: ["a", "b"], name: "b" }, …]. */
export function leaves(tree) {
  const found = [];
  const parse = (text, before) => {
    for (const part of branches(text)) {
      const brace = part.indexOf("{");
      if (brace >= 0) {
        parse(part.slice(brace + 1, part.lastIndexOf("}")), [...before, ...segments(part.slice(0, brace))]);
        continue;
      }
      const [path, renamed] = part.split(/\s+as\s+/);
      const all = [...before, ...segments(path)];
      if (all.length > 1 && all.at(-1) === "self") all.pop();
      found.push({ path: all, name: renamed?.trim() ?? all.at(-1) });
    }
  };
  parse(tree, []);
  return found;
}

const segments = (path) => path.split("::").map((one) => one.trim()).filter((one) => one !== "");

/** Splits at the outer commas. */
function branches(text) {
  let depth = 0;
  const parts = [""];
  for (const letter of text) {
    depth += letter === "{" ? 1 : letter === "}" ? -1 : 0;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** The module of a file below `src`: `bus/lanes.rs` is `bus::lanes`, `lib.rs` is the root "". */
const moduleOf = (file) => file.replace(/\.rs$/, "").replace(/^(lib|main)$/, "").replaceAll("/", "::");

const join = (module, name) => (module === "" ? name : `${module}::${name}`);
const parent = (module) => module.split("::").slice(0, -1).join("::");

/** What one module declares, imports and names. */
function read(text) {
  const body = code(text);
  const imports = [];
  const rest = body.replaceAll(/(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);/g, (_, isPublic, tree) => {
    for (const leaf of leaves(tree)) imports.push({ ...leaf, isPublic: isPublic !== undefined });
    return " ";
  });
  const children = [...rest.matchAll(/\bmod\s+(\w+)\s*;/g)].map(([, name]) => name);
  const paths = [...rest.matchAll(/(?<![\w:$])\$?([A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+)/g)];
  return { imports, children, paths: paths.map(([, path]) => segments(path)) };
}

/** The dependencies between the modules of one crate: module → (module → a name it takes). */
export function dependencies(files) {
  const modules = new Map();
  for (const [file, text] of files) modules.set(moduleOf(file), read(text));
  // Files of modules that only tests declare are tests.
  for (const module of modules.keys()) {
    if (module !== "" && !modules.get(parent(module))?.children.includes(module.split("::").at(-1))) modules.delete(module);
  }

  /** The module and name that a path resolves to from a module; undefined outside the crate. */
  const resolve = (module, path, seen = new Set()) => {
    let at;
    const steps = [...path];
    if (steps[0] === "crate") at = "";
    else if (steps[0] === "self") at = module;
    else if (steps[0] === "super") at = parent(module);
    if (at !== undefined) steps.shift();
    else {
      const first = steps[0];
      const known = modules.get(module);
      const imported = known.imports.find((one) => one.name === first);
      const key = `${module} ${first}`;
      if (imported && !seen.has(key)) return resolve(module, [...imported.path, ...steps.slice(1)], new Set([...seen, key]));
      if (!known.children.includes(first)) return undefined;
      at = module;
    }
    while (steps[0] === "super") {
      at = parent(at);
      steps.shift();
    }
    while (steps.length > 0 && modules.has(join(at, steps[0]))) at = join(at, steps.shift());
    const [name] = steps;
    if (name === undefined) return { module: at, name: undefined };
    const handedOn = modules.get(at)?.imports.find((one) => one.isPublic && one.name === name);
    const key = `${at} ${name}`;
    if (handedOn && !seen.has(key)) {
      return resolve(at, [...handedOn.path, ...steps.slice(1)], new Set([...seen, key])) ?? undefined;
    }
    return { module: at, name };
  };

  const edges = new Map();
  for (const [module, { imports, paths }] of modules) {
    const taken = new Map();
    const take = (path) => {
      const target = resolve(module, path);
      if (target && target.name !== undefined && target.module !== module && modules.has(target.module)) {
        if (!taken.has(target.module)) taken.set(target.module, target.name);
      }
    };
    for (const { path, isPublic } of imports) if (!isPublic) take(path);
    for (const path of paths) take(path);
    edges.set(module, taken);
  }
  return edges;
}

/** The shortest path from a module back to itself. */
function wayRound(edges, start) {
  const before = new Map();
  const queue = [start];
  for (const module of queue) {
    for (const next of edges.get(module)?.keys() ?? []) {
      if (next === start) {
        const way = [start];
        for (let at = module; at !== start; at = before.get(at)) way.unshift(at);
        return [start, ...way];
      }
      if (!before.has(next)) {
        before.set(next, module);
        queue.push(next);
      }
    }
  }
  return undefined;
}

/** Groups of modules that reach each other, each with its shortest cycle. */
export function cycles(files) {
  const edges = dependencies(files);
  const reach = (start) => {
    const seen = new Set();
    const queue = [start];
    for (const module of queue) {
      for (const next of edges.get(module)?.keys() ?? []) {
        if (!seen.has(next)) {
          seen.add(next);
          queue.push(next);
        }
      }
    }
    return seen;
  };
  const reached = new Map([...edges.keys()].map((module) => [module, reach(module)]));
  const grouped = new Set();
  const found = [];
  for (const module of [...edges.keys()].sort()) {
    if (grouped.has(module) || !reached.get(module).has(module)) continue;
    const group = [...reached.get(module)].filter((other) => reached.get(other).has(module)).sort();
    for (const one of group) grouped.add(one);
    const ways = group.map((one) => wayRound(edges, one)).sort((a, b) => a.length - b.length);
    found.push({ modules: group, way: ways[0], names: ways[0].slice(1).map((to, at) => edges.get(ways[0][at]).get(to)) });
  }
  return found;
}

function main() {
  const root = new URL("..", import.meta.url);
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.rs"], { cwd: root, encoding: "utf8" });
  const crates = new Map();
  for (const path of listed.split("\n")) {
    // A program in src/bin is a separate crate with a single file.
    const place = path.match(/^(.*?)\/src\/((?!bin\/).*)$/);
    if (!place || !existsSync(new URL(path, root))) continue;
    if (place[2] === "main.rs" && listed.includes(`${place[1]}/src/lib.rs`)) continue;
    if (!crates.has(place[1])) crates.set(place[1], new Map());
    crates.get(place[1]).set(place[2], readFileSync(new URL(path, root), "utf8"));
  }
  for (const [crate, files] of crates) {
    for (const { modules, way, names } of cycles(files)) {
      const steps = way.slice(1).map((module, at) => `  → ${module || "the root"} (${names[at]})`);
      console.error(`${crate}: ${modules.length} modules import each other: ${modules.join(", ")}`);
      console.error([`  ${way[0] || "the root"}`, ...steps].join("\n"));
      process.exitCode = 1;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();
