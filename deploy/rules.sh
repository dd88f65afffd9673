#!/usr/bin/env bash
# Converts the rules of deploy/observability/rules to objects of the Prometheus operator, because kustomize cannot wrap
# plain files. The check of the manifests compares the two.
set -euo pipefail
cd "$(dirname "$0")"

written=kubernetes/components/pod-monitors/rules.yaml
echo "# Written by deploy/rules.sh (make rules): change deploy/observability/rules." >"$written.new"
for file in observability/rules/*.yaml; do
  cat <<OBJECT
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: $(basename "$file" .yaml)
spec:
OBJECT
  sed '/^#/d; s/^/  /' "$file"
done >>"$written.new"
mv "$written.new" "$written"
