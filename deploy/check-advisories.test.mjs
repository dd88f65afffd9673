import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { advisory, concerns, lockedIn, meets } from "./check-advisories.mjs";

const program = fileURLToPath(new URL("check-advisories.mjs", import.meta.url));
const today = new Date().toISOString().slice(0, 10);
const text = (crate, { patched, extra = "", date = today }) =>
  `\`\`\`toml\n[advisory]\nid = "RUSTSEC-2026-0001"\npackage = "${crate}"\ndate = "${date}"\n${extra}\n[versions]\npatched = ${patched}\nunaffected = ["< 0.3.0"]\n\`\`\`\n\n# It is broken\n`;

/** The exit code and output with these environment variables and, if given, this advisory. */
function run(environment, content) {
  const folder = mkdtempSync(join(tmpdir(), "advisories-"));
  if (content) {
    mkdirSync(join(folder, "crates/one"), { recursive: true });
    writeFileSync(join(folder, "crates/one/RUSTSEC-2026-0001.md"), content);
  }
  const { status, stdout } = spawnSync(process.execPath, [program, folder], { env: { ...process.env, ...environment }, encoding: "utf8" });
  return { status, stdout };
}

test("requirements are read as Cargo reads them", () => {
  for (const [version, requirement] of [
    ["1.2.3", "^1.2"], ["1.9.0", "1"], ["0.2.9", "^0.2.3"], ["1.2.9", "~1.2.3"], ["2.0.0", ">= 1.5, < 3"], ["1.2.3", "=1.2.3"],
    ["1.0.0", "> 1.0.0-rc.1"], ["0.0.3", "^0.0.3"],
  ]) assert.ok(meets(version, requirement), `${version} ${requirement}`);
  for (const [version, requirement] of [
    ["2.0.0", "^1.2"], ["0.3.0", "^0.2.3"], ["1.3.0", "~1.2.3"], ["3.0.0", ">= 1.5, < 3"], ["1.0.0-rc.1", ">= 1.0.0"], ["0.0.4", "^0.0.3"],
  ]) assert.ok(!meets(version, requirement), `${version} ${requirement}`);
  assert.throws(() => meets("1.0.0", "newest"));
});

test("an advisory concerns the versions that are neither patched nor unaffected", () => {
  const one = advisory(text("broken", { patched: '[\n  "^0.9.4",\n  ">= 1.0.2",\n]' }));
  assert.deepEqual(["0.2.9", "0.9.3", "0.9.4", "1.0.1", "1.0.2"].map((version) => concerns(one, ["broken", version])), [false, true, false, true, false]);
  assert.ok(!concerns(one, ["other", "0.9.3"]));
  assert.ok(!concerns(advisory(text("broken", { patched: "[]", extra: 'withdrawn = "2026-01-02"' })), ["broken", "0.9.3"]));
});

test("the crates of a registry are locked, those of the workspace are not", () => {
  const lock = '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+x"\n\n[[package]]\nname = "own"\nversion = "0.1.0"\n';
  assert.deepEqual(lockedIn(lock), [["a", "1.0.0"]]);
});

test("a vulnerable crate fails, an old copy fails, and a missing copy never passes in silence", () => {
  assert.equal(run({}, text("serde", { patched: '[">= 99"]' })).status, 1);
  assert.equal(run({}, text("serde", { patched: '[">= 1"]' })).status, 0);
  assert.equal(run({}, text("serde", { patched: '[">= 99"]', extra: 'informational = "unmaintained"' })).status, 0);
  assert.equal(run({}, text("serde", { patched: '[">= 1"]', date: "2020-01-01" })).status, 1);
  const missing = run({});
  assert.equal(missing.status, 0);
  assert.match(missing.stdout, /NOT CHECKED/);
  assert.equal(run({ ADVISORIES: "required" }).status, 1);
  assert.ok(execFileSync(process.execPath, [program, "/nonexistent"], { encoding: "utf8" }).includes("NOT CHECKED"));
});
