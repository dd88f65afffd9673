// Checks dashboards and rules against the code: they use only exported metrics, and every metric that a process exports
// is on a dashboard.
import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
// Metrics exported by the engines, the collector and the cluster.
const FOREIGN = /^(up$|(rabbitmq|cnpg|barman_cloud|otelcol|kube|kubelet|pg|node|task|container|certmanager)_)/;
const KEYWORDS = new Set(["and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring"]);

/** The files below a folder with this ending. */
function files(folder, ending) {
  return readdirSync(new URL(folder, root), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}${name}`);
}

const read = (name) => readFileSync(new URL(name, root), "utf8");

/** The metrics of an expression: its names, except functions, labels and bracketed parts. */
function namesIn(expression) {
  return [
    ...expression
      .replaceAll(/"(\\.|[^"\\])*"/g, "")
      .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, "")
      .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, "")
      .matchAll(/(?<![\w.:])[a-zA-Z_:][\w:]*(?![\w:]|\s*\()/g),
  ]
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.has(name));
}

const exported = new Map();
for (const name of [...files("services/", ".rs"), ...files("gateway/src/", ".rs")]) {
  for (const [, kind, metric] of read(name).matchAll(/metrics::(gauge|counter|histogram)!\(\s*"(\w+)"/g)) {
    const series = kind === "histogram" ? ["_bucket", "_count", "_sum"].map((end) => metric + end) : [metric];
    for (const one of series) exported.set(one, metric);
  }
}

const asked = [];
const recorded = new Set();
for (const name of files("deploy/observability/rules/", ".yaml")) {
  for (const [, metric] of read(name).matchAll(/^ *- record: (\S+)$/gm)) recorded.add(metric);
  for (const [, expression] of read(name).matchAll(/^ *expr: (.+)$/gm)) {
    asked.push({ name, expression: expression.startsWith('"') ? JSON.parse(expression) : expression });
  }
}
const shown = new Set();
for (const name of files("deploy/observability/grafana/dashboards/", ".json")) {
  const { panels, templating } = JSON.parse(read(name));
  const variables = templating.list.map(({ query }) => query.replace(/^label_values\((.+), \w+\)$/, "$1"));
  for (const expression of [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...variables]) {
    asked.push({ name, expression });
    for (const metric of namesIn(expression)) shown.add(exported.get(metric));
  }
}

const breaches = [];
for (const { name, expression } of asked) {
  for (const metric of namesIn(expression)) {
    if (!FOREIGN.test(metric) && !exported.has(metric) && !recorded.has(metric)) {
      breaches.push(`${name}: no process exports ${metric}`);
    }
  }
}
for (const metric of new Set(exported.values())) {
  if (!shown.has(metric)) breaches.push(`${metric} is on no dashboard`);
}
for (const text of breaches) console.error(text);
console.log(`${new Set(exported.values()).size} metrics, ${asked.length} expressions, ${breaches.length} breaches`);
process.exit(breaches.length > 0 ? 1 : 0);
