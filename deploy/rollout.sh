#!/usr/bin/env bash
# Applies an overlay to a cluster: secrets, servers and settings, then the migrations, then the services. A failed
# migration leaves the running version unchanged; a service that does not become ready stops its own rollout.
#
#   deploy/rollout.sh production
set -euo pipefail
cd "$(dirname "$0")"
. ./services.sh
cd "kubernetes/overlays/${1:?the name of an overlay}"

say() { echo "== $*"; }

if grep -q "^components: \[secrets" kustomization.yaml; then ../../../secrets.sh "$PWD/secrets"; fi
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT
kubectl kustomize . >"$rendered"

say "servers, secrets, settings"
kubectl apply --server-side --filename "$rendered" --selector '!solvane.dev/phase'
if kubectl --namespace solvane get clusters.postgresql.cnpg.io postgres >/dev/null 2>&1; then
  kubectl --namespace solvane wait --for=condition=Ready cluster/postgres --timeout=15m
fi

say "migrations"
# Jobs are immutable, so delete those of the last version.
kubectl --namespace solvane delete job --selector solvane.dev/phase=before --ignore-not-found
kubectl apply --server-side --filename "$rendered" --selector solvane.dev/phase=before
kubectl --namespace solvane wait --for=condition=Complete job --selector solvane.dev/phase=before --timeout=15m

say "services"
# In sequence: auth first, because the others need its signatures; the gateway last, because it calls the others.
# The media worker is a second process of course.
for name in "${processes[@]}" course-worker; do
  kubectl apply --server-side --filename "$rendered" --selector "solvane.dev/phase=after,app.kubernetes.io/name=$name"
  kubectl --namespace solvane rollout status "deployment/$name" --timeout=10m
done
