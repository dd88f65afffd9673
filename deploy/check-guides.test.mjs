import assert from "node:assert/strict";
import { test } from "node:test";

import { anchorsOf, commandsIn, isRun, linksIn, shapeOf, wrongWith } from "./check-guides.mjs";

const known = {
  targets: new Set(["run", "check"]),
  services: new Set(["auth", "postgres", "files-check"]),
  exists: (name) => name === "deploy/backup.sh",
};
const wrong = (command) => wrongWith(command, known);

test("commands are lines of shell blocks and code in the text, without comments", () => {
  const guide = "Run `make\nrun` first.\n\n```sh\nmake check   # all\ndocker compose up \\\n  --detach\n```\n\n```yaml\nmake: none\n```\n";
  assert.deepEqual(commandsIn(guide), ["make check", "docker compose up --detach", "make run"]);
});

test("what is there is in order", () => {
  for (const command of [
    "make run",
    "STACK_PORT=1 make check",
    "deploy/backup.sh FOLDER",
    "docker compose exec -T --user postgres postgres /deploy/backup.sh /backups",
    "docker compose run --rm --no-deps --user root --entrypoint chown postgres postgres: /data",
    "docker compose up --detach --no-deps auth postgres",
    "docker compose --profile observe up --detach",
    "docker compose logs NAME",
  ]) assert.deepEqual(wrong(command), [], command);
});

test("a target, a script or a container that is not there is named", () => {
  assert.deepEqual(wrong("make rum"), ["make rum"]);
  assert.deepEqual(wrong("deploy/restore.sh /backups"), ["deploy/restore.sh"]);
  assert.deepEqual(wrong("docker compose exec postgres /deploy/standby.sh allow"), ["deploy/standby.sh"]);
  assert.deepEqual(wrong("docker compose run --rm -T files-chek"), ["the container files-chek"]);
  assert.deepEqual(wrong("docker compose restart auth mailr && make run"), ["the container mailr"]);
});

test("a command of a guide that no test runs is named", () => {
  assert.equal(shapeOf("A=b docker compose exec -T postgres /deploy/replay.sh '1 hour ago'"), "docker compose exec postgres /deploy/replay.sh");
  assert.equal(shapeOf("docker compose exec mailer send-test you@example.com"), "docker compose exec mailer send-test");
  const tests = "docker compose run --rm audit >log\ndocker compose up --detach\n";
  assert.ok(isRun("docker compose run --rm -T audit", tests));
  assert.ok(!isRun("docker compose restart auth", tests));
});

test("links and headings are found as they are shown", () => {
  assert.deepEqual(linksIn("[a](A.md#b) [c](https://example.com) [d](#e)"), ["A.md#b", "#e"]);
  assert.deepEqual([...anchorsOf("# One\n\n## Settings, in `.env`\n")], ["one", "settings-in-env"]);
});
