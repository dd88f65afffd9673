#!/usr/bin/env bash
# All static checks of the code. Runs every check, then fails if one failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

failures=$(mktemp)
trap 'rm -f "$failures"' EXIT
check() {
  local name=$1 began=$SECONDS
  shift
  echo "== $name"
  "$@" || echo "$name" >>"$failures"
  [ $((SECONDS - began)) -lt 10 ] || echo "   $name: $((SECONDS - began)) s"
}

check format cargo fmt --all --check
check borders deploy/check-borders.sh
check licences node deploy/check-licences.mjs
check metrics node deploy/check-metrics.mjs
check migrations node deploy/check-migrations.mjs
check "rule of migrations" node --test --test-reporter=dot deploy/check-migrations.test.mjs
check "SQL for a distributed engine" node deploy/check-plannable.mjs
check "rule of that SQL" node --test --test-reporter=dot deploy/check-plannable.test.mjs
check "cycles of modules" node deploy/check-cycles.mjs
check "rule of cycles" node --test --test-reporter=dot deploy/check-cycles.test.mjs
check citations node deploy/check-citations.mjs
check "rule of citations" node --test --test-reporter=dot deploy/check-citations.test.mjs
check words deploy/check-words.sh
check "lock files" node deploy/check-lockfiles.mjs
check "rule of lock files" node --test --test-reporter=dot deploy/check-lockfiles.test.mjs
check advisories node deploy/check-advisories.mjs
check "rule of advisories" node --test --test-reporter=dot deploy/check-advisories.test.mjs
check guides node deploy/check-guides.mjs
check "rule of guides" node --test --test-reporter=dot deploy/check-guides.test.mjs
check versions node deploy/check-versions.mjs
check "rule of versions" node --test --test-reporter=dot deploy/check-versions.test.mjs
if [ "${RUSTC_WORKSPACE_WRAPPER:-}" = clippy-driver ]; then
  check clippy cargo build --workspace --all-targets --quiet
else
  check clippy cargo clippy --workspace --all-targets --quiet -- -D warnings
fi
# The longest of the rest, beside the others.
check eslint npm --prefix web run --silent lint &
check proto npm --prefix proto run --silent check
check "types of the API" npm --prefix web run --silent api-types -- --check
check types npm --prefix web run --silent typecheck
check "cycles of imports" npm --prefix web run --silent cycles
# Optional checks, run only if their tools are installed.
if command -v shellcheck >/dev/null; then
  # shellcheck disable=SC2046
  check scripts shellcheck .ci/run $(git ls-files '*.sh')
fi
if command -v promtool >/dev/null; then
  check rules deploy/check-rules.sh
fi
if python3 -c 'import yaml' 2>/dev/null; then
  check compose deploy/check-compose.py
fi
if command -v kubectl >/dev/null && python3 -c 'import ensurepip, venv' 2>/dev/null; then
  check kubernetes deploy/check-kubernetes.sh
fi
wait

if [ -s "$failures" ]; then
  echo "failed: $(paste -sd , "$failures")" >&2
  exit 1
fi
echo "all checks passed"
