#!/usr/bin/env bash
# Renders every overlay and validates it against the schemas of Kubernetes and the policy in policy.py.
# Needs kubectl (or kustomize) and python3; the validator is installed into FOLDER the first time.
#
#   deploy/check-kubernetes.sh [FOLDER]      default: target/check-kubernetes
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-target/check-kubernetes}
version=1.36

if command -v kubectl >/dev/null && kubectl kustomize --help >/dev/null 2>&1; then
  render() { kubectl kustomize "$1"; }
elif command -v kustomize >/dev/null; then
  render() { kustomize build "$1"; }
else
  echo "kubectl 1.27 or newer, or kustomize 5, is needed" >&2
  exit 1
fi

mkdir -p "$folder"
if [ ! -x "$folder/venv/bin/kubernetes-validate" ]; then
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'kubernetes-validate==1.37.0' 'PyYAML==6.*'
fi

# The local overlay needs generated secrets: use a temporary folder.
rm -rf "$folder/deploy"
mkdir "$folder/deploy"
cp -r deploy/kubernetes deploy/observability deploy/manifests.sh deploy/manifests deploy/services.sh "$folder/deploy"
mkdir -p "$folder/services" "$folder/deploy/compose"
cp services/services.txt "$folder/services"
"$folder/deploy/manifests.sh"
for generated in kubernetes compose/roots.yaml observability; do
  diff -rq --exclude=secrets "deploy/$generated" "$folder/deploy/$generated" || { echo "run make manifests" >&2; exit 1; }
done
deploy/secrets.sh "$folder/deploy/kubernetes/overlays/local/secrets" >/dev/null
rm -rf "$folder/vault"
deploy/vault.sh "$folder/deploy/kubernetes/overlays/local/secrets" "$folder/vault" >/dev/null

for overlay in local production restore; do
  render "$folder/deploy/kubernetes/overlays/$overlay" >"$folder/$overlay.yaml"
  # A restored product is as the one in production.
  "$folder/venv/bin/python" deploy/kubernetes/policy.py "${overlay/restore/production}" "$folder/$overlay.yaml" "$version"
done
