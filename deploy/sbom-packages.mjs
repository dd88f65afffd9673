// Turns the records of dpkg in an image into a CycloneDX bill of materials of its packages.
//
//   cat /var/lib/dpkg/status | node deploy/sbom-packages.mjs IMAGE

import { readFileSync } from "node:fs";

const records = readFileSync(0, "utf8").split(/\n{2,}/);
const field = (record, name) => new RegExp(`^${name}: (.*)$`, "m").exec(record)?.[1];
const packages = records
  .filter((record) => / installed$/.test(field(record, "Status") ?? ""))
  .map((record) => [field(record, "Package"), field(record, "Version"), field(record, "Architecture")]);
if (packages.length === 0) throw new Error("the image has no packages");
const components = packages.map(([name, version, architecture]) => {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: "library", "bom-ref": purl, name, version, purl };
});
const metadata = { component: { type: "container", name: process.argv[2] } };
console.log(JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.5", version: 1, metadata, components }, null, 2));
