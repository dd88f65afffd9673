// Checks that the guides name what is there: targets of make, scripts, containers of docker compose, files and headings. And that
// a test runs what the guides tell an operator to do with docker compose.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Options of docker compose with a value of their own. */
const WITH_VALUE = new Set(["--user", "--entrypoint", "--profile", "--status", "--format", "--volume", "--env", "-f", "-v", "-e"]);

/** Guides of which tests run the commands, and those tests. */
const RUN = ["docs/COMPOSE.md", "docs/BACKUP.md", "docs/KEYS.md"];
const TESTS = ["deploy/test-compose.sh", "deploy/test-secrets.sh", "deploy/test-tasks.sh", "deploy/test-standby.sh", "deploy/task.sh"];
/** How commands begin that no test runs, each with the reason. */
const NOT_RUN = [
  // Their images are in registries alone.
  "docker compose --profile observe", "docker compose --profile grafana",
  // test-tasks.sh runs amtool with an Alertmanager without a container.
  "docker compose exec alertmanager",
  // Two machines: test-standby.sh runs the script that these pass on to, with two servers.
  "docker compose exec --user postgres postgres /deploy/standby.sh", "docker compose run --rm --no-deps --user postgres --entrypoint /deploy/standby.sh",
  "docker compose run --rm --no-deps --user root --entrypoint find", "docker compose up --detach postgres",
  "docker compose up --detach --force-recreate postgres-files",
];

/** A command without what differs between a terminal and a test, up to its first example. */
export function shapeOf(command) {
  return command
    .replace(/^(?:[A-Z_]+=\S+ )+/, "")
    .replaceAll(/ -T\b/g, "")
    .replace(/ (?:["'\d$]|\S*@).*$/, "");
}

/** Whether a test runs it. */
export function isRun(command, tests) {
  const shape = shapeOf(command);
  return NOT_RUN.some((known) => shape.startsWith(known)) || tests.includes(shape);
}

/** The commands of a guide: lines of its shell blocks, and code within its text. */
export function commandsIn(markdown) {
  const blocks = [...markdown.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, text]) => text.replaceAll(/\\\n\s*/g, ""));
  const prose = markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  return [
    ...blocks.flatMap((text) => text.split("\n")),
    ...[...prose.matchAll(/`([^`]+)`/g)].map(([, text]) => text.replaceAll(/\s*\n\s*/g, " ")),
  ]
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** What a command names that is not there. */
export function wrongWith(command, { targets, services, exists }) {
  const wrong = [];
  for (const [, names] of command.matchAll(/(?:^|[;&|] *|^(?:[A-Z_]+=\S+ )+)make ((?:[a-z][a-z-]*\b ?)+)/g)) {
    for (const name of names.trim().split(" ")) if (!targets.has(name)) wrong.push(`make ${name}`);
  }
  for (const [, name] of command.matchAll(/(?:^|[\s(/])(deploy\/[\w/-]+\.(?:sh|py|mjs))/g)) if (!exists(name)) wrong.push(name);
  for (const [, rest] of command.matchAll(/docker compose ([^|;&<>)]*)/g)) {
    const words = rest.trim().split(/\s+/);
    const plain = words.filter((word, at) => !word.startsWith("-") && !WITH_VALUE.has(words[at - 1]));
    const [act, ...names] = plain;
    const named = act === "exec" || act === "run" ? names.slice(0, 1) : ["up", "restart", "ps", "logs", "build"].includes(act) ? names : [];
    for (const name of named) if (/^[a-z][a-z-]*$/.test(name) && !services.has(name)) wrong.push(`the container ${name}`);
  }
  return wrong;
}

/** The anchors of a guide's headings. */
export function anchorsOf(markdown) {
  return new Set(
    [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text]) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")),
  );
}

/** Links of a guide to files, without those to other sites. */
export function linksIn(markdown) {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

function main() {
  const text = (name) => readFileSync(join(root, name), "utf8");
  const compose = text("docker-compose.yml").replace(/^[\s\S]*?^services:\n/m, "").replace(/^networks:[\s\S]*$/m, "");
  const known = {
    targets: new Set([...text("Makefile").matchAll(/^([a-z][a-z-]*):/gm)].map(([, name]) => name)),
    services: new Set([...compose.matchAll(/^ {2}([a-z-]+):/gm)].map(([, name]) => name)),
    exists: (name) => existsSync(join(root, name)),
  };
  const guides = execFileSync("git", ["ls-files", "*.md"], { cwd: root }).toString().trim().split("\n");
  const wrong = [];
  const tests = TESTS.map(text).join("\n").replaceAll(/\\\n\s*/g, "").replaceAll(/ -T\b/g, "");
  for (const guide of guides) {
    for (const command of commandsIn(text(guide))) {
      if (RUN.includes(guide) && /^(?:[A-Z_]+=\S+ )*docker compose (?!ps|logs)/.test(command) && !isRun(command, tests)) {
        wrong.push(`${guide}: no test runs ${command}`);
      }
      for (const what of wrongWith(command, known)) wrong.push(`${guide}: there is no ${what}: ${command}`);
    }
    for (const link of linksIn(text(guide))) {
      const [path, anchor] = link.split("#");
      const file = path === "" ? guide : normalize(join(dirname(guide), path));
      if (!known.exists(file)) wrong.push(`${guide}: there is no ${link}`);
      else if (anchor && file.endsWith(".md") && !anchorsOf(text(file)).has(anchor)) wrong.push(`${guide}: ${file} has no heading ${anchor}`);
    }
  }
  for (const line of wrong) console.error(line);
  return wrong.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = main();
