import assert from "node:assert/strict";
import { test } from "node:test";

import { code, cycles, dependencies, leaves } from "./check-cycles.mjs";

const ways = (files) => cycles(new Map(Object.entries(files))).map(({ way }) => way);

test("two modules that import each other are a cycle, however they name each other", () => {
  const state = "pub struct App;\n";
  for (const [router, handler] of [
    ["use crate::handler;\npub struct App;\nfn f() { handler::get() }", "use crate::router::App;"],
    ["pub struct App;\nfn f() { crate::handler::get() }", "fn get(app: crate::router::App) {}"],
    ["use super::handler::{self as h, get};\npub struct App;", "use super::router::*;"],
    ["use crate::{error::Error, handler::get};\npub struct App;", "use crate::{router::App};"],
    ["macro_rules! call { () => { $crate::handler::get() } }\npub struct App;", "impl From<crate::router::App> for X {}"],
  ]) {
    const files = { "lib.rs": "mod error; mod handler; mod router;", "error.rs": "", "router.rs": router, "handler.rs": handler };
    assert.deepEqual(ways(files), [["handler", "router", "handler"]], router);
    files["handler.rs"] = "use crate::app::App;";
    assert.deepEqual(ways({ ...files, "lib.rs": `${files["lib.rs"]} mod app;`, "app.rs": state }), [], router);
  }
});

test("a longer way round is found, and printed from its first module on", () => {
  const files = {
    "lib.rs": "mod a; mod b; mod c; mod d;",
    "a.rs": "use crate::b::B;",
    "b.rs": "use crate::c::C;",
    "c.rs": "use crate::a::A;",
    "d.rs": "use crate::a::A;",
  };
  assert.deepEqual(ways(files), [["a", "b", "c", "a"]]);
});

test("a parent and its child are a cycle if each uses what the other defines", () => {
  const child = "use super::Event;";
  const parent = "mod delivery;\npub struct Event;\nfn f() { delivery::deliver() }";
  assert.deepEqual(ways({ "lib.rs": "mod bus;", "bus.rs": parent, "bus/delivery.rs": child }), [["bus", "bus::delivery", "bus"]]);
});

test("a parent that only declares its children and hands their names on is in no cycle", () => {
  const files = {
    "lib.rs": "pub mod bus;",
    "bus.rs": "mod delivery;\nmod event;\npub use self::event::Event;\nuse self::delivery::deliver;",
    "bus/event.rs": "pub struct Event;",
    "bus/delivery.rs": "use super::Event;",
  };
  assert.deepEqual(ways(files), []);
  assert.deepEqual([...dependencies(new Map(Object.entries(files))).get("bus::delivery").keys()], ["bus::event"]);
});

test("tests, comments, strings and other crates make no dependency", () => {
  const other = '// crate::router::App\n/* crate::router::App */ const A: &str = "crate::router::App";\nuse chassis::router::App;';
  const tested = "fn a() {}\n#[cfg(test)]\nmod tests { use crate::router::App; fn f() { crate::router::f('}') } }\n#[cfg(test)]\nmod simulation;";
  const files = { "lib.rs": "mod router; mod other; mod tested;", "router.rs": "use crate::{other, tested};\nfn f() { other::a(); tested::a() }" };
  assert.deepEqual(ways({ ...files, "other.rs": other, "tested.rs": tested, "tested/simulation.rs": "use crate::router::App;" }), []);
});

test("a tree of imports is read leaf by leaf", () => {
  assert.deepEqual(
    leaves("crate::{a::{self, B as C}, d}").map(({ path, name }) => `${path.join("::")} as ${name}`),
    ["crate::a as a", "crate::a::B as C", "crate::d as d"],
  );
  assert.equal(code("a 'x' \"crate::b\" // c").trim(), 'a "" ""');
});
