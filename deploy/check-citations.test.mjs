import assert from "node:assert/strict";
import { test } from "node:test";

import { citations, exists, miscounted, unexplained } from "./check-citations.mjs";

test("paths, names of tests and titles are told from other code and quotes", () => {
  const { paths, names, titles } = citations(
    "`services/auth/src/tokens.rs`: `no_two_tokens_are_alike`, `main.rs` and `store/` as \"Choices\" says; " +
      '`GET /v1/admin/audit`, `audit_rows`, `unsafe_code = "forbid"`; `web/src/app.tsx`: "shows and hides the password"',
  );
  assert.deepEqual(paths, ["services/auth/src/tokens.rs", "main.rs", "store/", "web/src/app.tsx"]);
  assert.deepEqual(names, ["no_two_tokens_are_alike"]);
  assert.deepEqual(titles, ["shows and hides the password"]);
});

test("a path may be short and have placeholders, but each of its parts is a whole name", () => {
  const files = ["services/wallet/src/app/request_deposit.rs", "services/wallet/src/store/holds.rs"];
  for (const path of ["app/request_deposit.rs", "services/<service>/src/app/<verb_noun>.rs", "src/store/<table>s.rs", "store/"]) {
    assert.ok(exists(path, files), path);
  }
  for (const path of ["app/deposit.rs", "services/trade/src", "request_deposit.r", "src/holds.rs"]) {
    assert.ok(!exists(path, files), path);
  }
});

test("requirements are counted, and each that is not met has its risk", () => {
  const page = (numbers, risks) =>
    `Of the 9 requirements of both levels, ${numbers} are not applicable (1 in\nthe tables).\n\n| 1.1.1 | a | here |\n` +
    `| 1.1.2 | b | not met: no |\n| 1.1.3 | c | not applicable: none |\n\n## What is not met\n\n| b | ${risks} | low |\n`;
  assert.deepEqual(miscounted(page("1 are met, 1 are not met or only in part, and 7", "1.1.2")), []);
  assert.deepEqual(miscounted(page("2 are met, 0 are not met or only in part, and 7", "1.1.1")), [
    "met, not met, not applicable: 1, 1, 1",
    "1.1.2 is not met, and its risk is not named",
  ]);
});

test("every id of a family of requirements is explained", () => {
  const page = "| id | requirement |\n|---|---|\n| L1 | a |\n| D-B7 | b |\n| DEP-07 | c |\n";
  assert.deepEqual(unexplained("/// [L1] [D-B7] [DEP-07] [ASVS 1.1.1] [U12]", page), []);
  assert.deepEqual(unexplained("/// [L2] [D-B8] [DEP-08] [D-B7]", page), ["D-B8", "DEP-08", "L2"]);
});
