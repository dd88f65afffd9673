// Writes SETTINGS.md from the definitions of the settings in the built processes; --check only compares.
//
//   node deploy/settings.mjs [--check]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const SERVICES = readFileSync(join(root, "services/services.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split(" ")[0])
  .filter((name) => name !== "gateway");
/** The processes, and how each lists its settings. */
const PROCESSES = [
  ...SERVICES.map((name) => [name, name, "settings"]),
  ["gateway", "gateway", "settings"],
  ["course-worker", "course", "settings", "worker"],
  ["course-sandbox", "course", "settings", "sandbox"],
];
const HEAD = `# Settings

Every setting of the processes, from the environment or as a flag (\`DATABASE_URL\` is \`--database-url\`). \`make test\` compares this
file with the code; \`node deploy/settings.mjs\` writes it. [COMPOSE.md](COMPOSE.md#settings-in-env) lists those that docker compose
reads from \`.env\`.

Besides, \`RUST_LOG\` is the filter of the logs of every process, and \`AWS_ACCESS_KEY_ID\`, \`AWS_SECRET_ACCESS_KEY\`, \`AWS_REGION\`,
\`AWS_ENDPOINT\` and \`AWS_ALLOW_HTTP\` are read where a setting names a store by \`s3://\`.

| name | default | meaning | read by |
|---|---|---|---|
`;

/** Rows of the same name, default and meaning become one. */
export function table(lists) {
  const rows = new Map();
  for (const [process, text] of lists) {
    for (const line of text.split("\n").filter((one) => one !== "")) {
      rows.set(line, [...(rows.get(line) ?? []), process]);
    }
  }
  const cell = (text) => text.replaceAll("|", "\\|");
  return [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([line, processes]) => {
      const [name, fallback, meaning] = line.split("\t");
      const all = SERVICES.every((service) => processes.includes(service));
      const readers = all ? ["every service", ...processes.filter((process) => !SERVICES.includes(process))] : processes;
      const shown = ["required", "none"].includes(fallback) ? fallback : `\`${fallback}\``;
      return `| \`${name}\` | ${cell(shown)} | ${cell(meaning)} | ${readers.join(", ")} |\n`;
    })
    .join("");
}

function main() {
  const binaries = join(root, process.env.CARGO_TARGET_DIR ?? "target", "debug");
  // Defaults may depend on it.
  const env = { TMPDIR: "/tmp" };
  const lists = PROCESSES.map(([name, binary, ...args]) => [name, execFileSync(join(binaries, binary), args, { env }).toString()]);
  const file = join(root, "docs/SETTINGS.md");
  const text = HEAD + table(lists);
  if (!process.argv.includes("--check")) return writeFileSync(file, text);
  if (readFileSync(file, "utf8") === text) return undefined;
  console.error("docs/SETTINGS.md is not what the processes say: run node deploy/settings.mjs");
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
