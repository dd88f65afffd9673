#!/usr/bin/env bash
# Checks the rules of Prometheus and runs their tests: each alert has a case in which it fires and one in which it is quiet.
# Needs promtool, which is in Debian's package prometheus.
set -euo pipefail
cd "$(dirname "$0")/observability"

promtool check rules rules/*.yaml >/dev/null
promtool check config --syntax-only prometheus.yaml >/dev/null
promtool test rules rules-tests/*.yaml
untested=0
for alert in $(sed -n 's/^ *- alert: //p' rules/*.yaml); do
  cases=$(grep -F "alertname=\"$alert\"" rules-tests/*.yaml || true)
  grep -q 'value: 1}' <<<"$cases" || { echo "no test in which $alert fires" >&2; untested=1; }
  grep -q 'exp_samples: \[\]' <<<"$cases" || { echo "no test in which $alert is quiet" >&2; untested=1; }
done
exit "$untested"
