# Reads services/services.txt; sourced.
# shellcheck shell=bash

list=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/services/services.txt

# All processes in the order of a rollout.
mapfile -t processes < <(sed '/^#/d; s/ .*//' "$list")
# The services, each of which has a database: all processes but the gateway.
# shellcheck disable=SC2034 # those that source it use it
mapfile -t services < <(printf '%s\n' "${processes[@]}" | grep -vx gateway)

is_process() { printf '%s\n' "${processes[@]}" | grep -qxF -e "$1"; }
# callees NAME, callers NAME: the processes it calls, and those that call it.
callees() { sed -n "s/^$1 //p" "$list" | tr ' ' '\n'; }
callers() { awk -v name="$1" '!/^#/ { for (i = 2; i <= NF; i++) if ($i == name) print $1 }' "$list"; }
# database NAME: the name of its database and of its role there.
database() { printf '%s' "${1//-/_}"; }
