#!/usr/bin/env bash
# Writes a CycloneDX bill of materials for each of our binaries and for the web app, from the lock files, and for the
# Debian packages of each image that is named.
#
#   deploy/sbom.sh [FOLDER [IMAGE…]]      default: target/sbom
#
# CONTAINER_ENGINE runs the images; docker by default.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.5.9
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$target/tools
folder=${1:-$target/sbom}
images=("${@:2}")
engine=${CONTAINER_ENGINE:-docker}
if ! "$tools/bin/cargo-cyclonedx" cyclonedx --version 2>/dev/null | grep -qF " $version"; then
  cargo install cargo-cyclonedx --version "$version" --locked --quiet --root "$tools"
fi

rm -rf "$folder"
mkdir -p "$folder"
"$tools/bin/cargo-cyclonedx" cyclonedx --format json --spec-version 1.5 --describe binaries --quiet \
  --target "$(rustc -vV | sed -n 's/^host: //p')"
# The program writes next to each Cargo.toml.
for file in gateway/*.cdx.json services/*/*.cdx.json deploy/stack/*.cdx.json; do
  name=$(basename "$file")
  mv "$file" "$folder/${name/_bin.cdx.json/.cdx.json}"
done
rm -f "$folder/stack.cdx.json"
npm --prefix web sbom --sbom-format cyclonedx --omit dev --package-lock-only >"$folder/web.cdx.json"
for image in "${images[@]}"; do
  name=${image##*/}
  # shellcheck disable=SC2016
  "$engine" run --rm --network none --entrypoint dpkg-query "$image" \
    --show --showformat '${Package} ${Version} ${Architecture}\n' | node deploy/sbom-packages.mjs "$image" >"$folder/${name%%[:@]*}-packages.cdx.json"
done
for file in "$folder"/*.json; do
  node -e 'const bom = JSON.parse(require("fs").readFileSync(process.argv[1])); console.log(`${process.argv[1]}: ${bom.components.length} components`)' "$file"
done
