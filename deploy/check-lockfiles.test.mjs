import assert from "node:assert/strict";
import { test } from "node:test";

import { ofCargo, ofNpm } from "./check-lockfiles.mjs";

const sha = `sha512-${"a".repeat(86)}==`;
const npm = (packages) => ofNpm({ lockfileVersion: 3, packages: { "": { dependencies: { one: "^1.0.0" } }, ...packages } });

test("packages of the registry with their hash are in order", () => {
  assert.deepEqual(npm({
    "node_modules/one": { version: "1.0.0", integrity: sha },
    "node_modules/two": { version: "1.0.0", integrity: sha },
    "node_modules/two/node_modules/three": { version: "1.0.0", inBundle: true },
  }), []);
});

test("a package without a hash, from elsewhere, from git or linked is named", () => {
  assert.deepEqual(npm({
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "1.0.0", integrity: "sha1-AAAA" },
    "node_modules/c": { version: "1.0.0", integrity: sha, resolved: "https://evil.example/c.tgz" },
    "node_modules/d": { version: "1.0.0", integrity: sha, dependencies: { e: "github:x/e", f: "git+ssh://x/f", g: "x/g#main", h: "^1.0.0" } },
    "node_modules/i": { link: true, integrity: sha },
  }).length, 7);
  assert.deepEqual(ofNpm({ lockfileVersion: 1 }), ["lockfileVersion 1"]);
});

test("crates come from crates.io with a checksum", () => {
  const crate = (source, checksum) => `[[package]]\nname = "a"\nversion = "1.0.0"\n${source}${checksum}\n`;
  const registry = 'source = "registry+https://github.com/rust-lang/crates.io-index"\n';
  assert.deepEqual(ofCargo(crate(registry, `checksum = "${"a".repeat(64)}"`)), []);
  assert.deepEqual(ofCargo(crate("", "")), []);
  assert.equal(ofCargo(crate(registry, "")).length, 1);
  assert.equal(ofCargo(crate('source = "git+https://evil.example/a"\n', `checksum = "${"a".repeat(64)}"`)).length, 1);
});
