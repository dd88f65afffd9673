// Turns the packages of an image, one a line as `name version architecture`, into a CycloneDX bill of materials.
//
//   dpkg-query --show --showformat '${Package} ${Version} ${Architecture}\n' | node deploy/sbom-packages.mjs IMAGE

import { readFileSync } from "node:fs";

const packages = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => line.split(" "));
if (packages.length === 0) throw new Error("the image has no packages");
const components = packages.map(([name, version, architecture]) => {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: "library", "bom-ref": purl, name, version, purl };
});
const metadata = { component: { type: "container", name: process.argv[2] } };
console.log(JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.5", version: 1, metadata, components }, null, 2));
