#!/usr/bin/env bash
# Follows what every process of the local product logs, each line behind the name of its process, until Ctrl-C.
set -euo pipefail
shopt -s nullglob extglob
cd "${STACK_DIR:-.stack}/logs" 2>/dev/null || {
  echo "there are no logs yet: start the product with \`make run\`" >&2
  exit 1
}
# Of every process that stays: those of single commands are beside them.
logs=(!(keys|*-migrate|*-command-*).log)
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
for log in "${logs[@]}"; do
  # By name, so that it goes on with the new file when the product starts again and sets this one aside.
  tail -n 10 -F "$log" 2>/dev/null | sed -u "s/^/$(printf '%-14s' "${log%.log}") /" &
done
wait
