import assert from "node:assert/strict";
import { test } from "node:test";

import { imagesIn, linesOf, wrongIn } from "./check-versions.mjs";

const lines = linesOf("# a comment\n\nrabbitmq  4.3  2027-04-30\n");
const today = Date.parse("2026-11-27");
const used = (version) => [{ name: "rabbitmq", version, where: "here" }];

test("the images of compose, of the Dockerfile and of manifests are found, and ours are not", () => {
  const text = "image: ${X_IMAGE:-rabbitmq:4.3}\nARG NODE_IMAGE=node:24-trixie-slim\n  imageName: ghcr.io/a/b:1.2\nimage: solvane/auth:0.1.0\n";
  assert.deepEqual(imagesIn(text).map(({ name, version }) => `${name} ${version}`), ["rabbitmq 4.3", "node 24-trixie-slim", "ghcr.io/a/b 1.2"]);
});

test("the version that is listed [D-H8], its variants and its patches are in order", () => {
  for (const version of ["4.3", "4.3-management", "4.3.6"]) assert.deepEqual(wrongIn(lines, used(version), today), []);
});

test("another version, one that is not listed and one that is not used are named", () => {
  assert.deepEqual(wrongIn(lines, used("4.31"), today), ["here: rabbitmq 4.31 instead of 4.3"]);
  assert.deepEqual(wrongIn(lines, [{ name: "caddy", version: "2", where: "here" }], today), ["here: caddy is not in deploy/versions", "rabbitmq is used nowhere"]);
});

test("[D-H8] an end within sixty days, a past one and none are named", () => {
  assert.deepEqual(wrongIn(lines, used("4.3"), Date.parse("2027-03-01")), []);
  for (const day of ["2027-03-02", "2028-01-01"]) {
    assert.deepEqual(wrongIn(lines, used("4.3"), Date.parse(day)), ["rabbitmq 4.3: support ends on 2027-04-30"]);
  }
  assert.deepEqual(wrongIn(linesOf("rabbitmq 4.3"), used("4.3"), today), ["rabbitmq 4.3: support ends on undefined"]);
});
