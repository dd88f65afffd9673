#!/usr/bin/env bash
# Writes a CycloneDX bill of materials for each of our binaries and for the web app, from the lock files, and for the
# Debian packages of each image that is named.
#
#   deploy/sbom.sh [FOLDER [IMAGE…]]      default: target/sbom
#
# CONTAINER_ENGINE has the images; docker by default.
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
for file in gateway/*.cdx.json services/*/*.cdx.json deploy/*/*.cdx.json; do
  name=$(basename "$file")
  mv "$file" "$folder/${name/_bin.cdx.json/.cdx.json}"
done
rm -f "$folder/stack.cdx.json"
npm --prefix web sbom --sbom-format cyclonedx --omit dev --package-lock-only >"$folder/web.cdx.json"
records=$(mktemp -d)
trap 'rm -rf "$records"' EXIT
for image in "${images[@]}"; do
  name=${image##*/}
  # Most images have neither a shell nor dpkg, but its records.
  container=$("$engine" create "$image" none)
  "$engine" cp "$container:/var/lib/dpkg" - | tar -x -C "$records"
  "$engine" rm "$container" >/dev/null
  find "$records/dpkg" \( -name status -o -path '*/status.d/*' \) -type f -exec awk 'FNR == 1 { print "" } 1' {} + |
    node deploy/sbom-packages.mjs "$image" >"$folder/${name%%[:@]*}-packages.cdx.json"
  rm -rf "$records/dpkg"
done
for file in "$folder"/*.json; do
  node -e 'const bom = JSON.parse(require("fs").readFileSync(process.argv[1])); console.log(`${process.argv[1]}: ${bom.components.length} components`)' "$file"
done
