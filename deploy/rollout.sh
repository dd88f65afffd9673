#!/usr/bin/env bash
# Brings a cluster to an overlay: secrets, servers and settings, then the migrations, then the services. A failed
# migration leaves the running version as it is; a service that does not become ready stops its own rollout.
#
#   deploy/rollout.sh production
set -euo pipefail
cd "$(dirname "$0")/kubernetes/overlays/${1:?the name of an overlay}"

say() { echo "== $*"; }

if grep -q secrets/ kustomization.yaml; then ../../../secrets.sh "$PWD/secrets"; fi
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT
kubectl kustomize . >"$rendered"

say "servers, secrets, settings"
kubectl apply --server-side --filename "$rendered" --selector '!solvane.dev/phase'
if kubectl --namespace solvane get clusters.postgresql.cnpg.io postgres >/dev/null 2>&1; then
  kubectl --namespace solvane wait --for=condition=Ready cluster/postgres --timeout=15m
fi

say "migrations"
# What a Job does cannot be changed: the last version's go.
kubectl --namespace solvane delete job --selector solvane.dev/phase=before --ignore-not-found
kubectl apply --server-side --filename "$rendered" --selector solvane.dev/phase=before
kubectl --namespace solvane wait --for=condition=Complete job --selector solvane.dev/phase=before --timeout=15m

say "services"
# One after the other: auth first, which signs what the others ask it to sign; the gateway last, which calls the others.
for name in auth mailer payment-method wallet trade gateway; do
  kubectl apply --server-side --filename "$rendered" --selector "solvane.dev/phase=after,app.kubernetes.io/name=$name"
  kubectl --namespace solvane rollout status "deployment/$name" --timeout=10m
done
