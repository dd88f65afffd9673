// Checks the lock files of npm and Cargo: every package has a hash and comes from the registry, and none from git or an
// address of its own, so that an install can only fetch what was reviewed.
//
//   node deploy/check-lockfiles.mjs

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("..", import.meta.url);
const CRATES = "registry+https://github.com/rust-lang/crates.io-index";

/** What is wrong with a lock file of npm. Ours name no addresses (`.npmrc`), so every package is the registry's. */
export function ofNpm({ lockfileVersion, packages = {} }) {
  const wrong = lockfileVersion === 3 ? [] : [`lockfileVersion ${lockfileVersion}`];
  for (const [path, one] of Object.entries(packages)) {
    const wanted = { ...one.dependencies, ...one.optionalDependencies, ...(path === "" ? one.devDependencies : {}) };
    for (const [name, requirement] of Object.entries(wanted)) {
      const isForeign = /^(git|https?|file|link|github|gitlab|bitbucket|gist)[+:]|^[\w.-]+\/[\w.-]+(#|$)/.test(requirement);
      if (isForeign) wrong.push(`${path || "package.json"} wants ${name} from ${requirement}`);
    }
    if (path === "") continue;
    if (one.link) wrong.push(`${path} is a link`);
    // Packages inside another one are covered by its hash.
    if (!one.inBundle && !/^sha512-[\w+/]+=*$/.test(one.integrity ?? "")) wrong.push(`${path} has no SHA-512`);
    if (one.resolved !== undefined) wrong.push(`${path} is from ${one.resolved}`);
  }
  return wrong;
}

/** What is wrong with a lock file of Cargo; the crates of the workspace have no source. */
export function ofCargo(lock) {
  const wrong = [];
  for (const block of lock.split("[[package]]").slice(1)) {
    const [name, source, checksum] = ["name", "source", "checksum"].map((field) => new RegExp(`^${field} = "(.*)"$`, "m").exec(block)?.[1]);
    if (source !== undefined && source !== CRATES) wrong.push(`${name} is from ${source}`);
    if (source !== undefined && !/^[0-9a-f]{64}$/.test(checksum ?? "")) wrong.push(`${name} has no checksum`);
  }
  return wrong;
}

function main() {
  const text = (name) => readFileSync(new URL(name, root), "utf8");
  const found = [
    ...["web", "proto", "deploy/node", "deploy/stack/nodes"].map((folder) => `${folder}/package-lock.json`).flatMap((name) => ofNpm(JSON.parse(text(name))).map((what) => `${name}: ${what}`)),
    ...["Cargo.lock", "deploy/bench/Cargo.lock"].flatMap((name) => ofCargo(text(name)).map((what) => `${name}: ${what}`)),
  ];
  for (const line of found) console.error(line);
  return found.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = main();
