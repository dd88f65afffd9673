import assert from "node:assert/strict";
import { test } from "node:test";

import { citations, exists } from "./check-citations.mjs";

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
