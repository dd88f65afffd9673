#!/usr/bin/env bash
# Follows the logs of all processes of the local product, with the process name before each line, until Ctrl-C.
set -euo pipefail
shopt -s nullglob extglob
cd "${STACK_DIR:-.stack}/logs" 2>/dev/null || {
  echo "there are no logs yet: start the product with \`make run\`" >&2
  exit 1
}
# Only long-running processes; the folder also contains the logs of single commands.
logs=(!(keys|*-migrate|*-command-*).log)
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
for log in "${logs[@]}"; do
  # By name, so that it continues with the new file when a restarted product rotates the old one.
  tail -n 10 -F "$log" 2>/dev/null | sed -u "s/^/$(printf '%-14s' "${log%.log}") /" &
done
wait
