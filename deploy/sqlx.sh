#!/usr/bin/env bash
# Checks every service's SQL against its own migrations and writes the results to its .sqlx folder.
# Runs under `stack testbed`. With --check it changes nothing and fails when a folder is out of date.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/services.sh

check=false
[ "${1:-}" = --check ] && check=true
server=${DATABASE_URL:?run this under stack testbed}
psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | sort -V | tail -n 1 || command -v psql)

migrate() {
  local url=$1 folder=$2 file
  for file in "$folder"/migrations/*.sql "$folder"/sql/*.sql; do
    [ -e "$file" ] || continue
    together=--single-transaction
    if head -n 1 "$file" | grep -q '^-- no-transaction'; then together=; fi
    "$psql" --quiet --no-psqlrc --set ON_ERROR_STOP=1 $together --dbname "$url" --file "$file" >/dev/null
  done
}

status=0
for service in chassis "${services[@]}"; do
  folder=services/$service
  [ -f "$folder/Cargo.toml" ] || continue
  grep -rqE 'query(_as|_scalar)?!' "$folder/src" || continue
  database=$(database "$service")_sqlx
  "$psql" --quiet --no-psqlrc --dbname "$server" --command "CREATE DATABASE $database"
  url=${server%/*}/$database
  migrate "$url" services/chassis
  [ "$service" = chassis ] || migrate "$url" "$folder"
  fresh=$(mktemp -d)
  # They are written when the crate compiles, so it has to look changed.
  touch "$folder/src/lib.rs"
  SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$fresh DATABASE_URL=$url cargo check --quiet -p "$service" --all-targets
  if $check; then
    diff -rq "$folder/.sqlx" "$fresh" || { echo "$folder/.sqlx is out of date: run make sqlx"; status=1; }
  else
    mkdir -p "$folder/.sqlx"
    find "$folder/.sqlx" -name 'query-*.json' -delete
    cp "$fresh"/*.json "$folder/.sqlx/"
    echo "$folder/.sqlx: $(find "$fresh" -name '*.json' | wc -l) statements"
  fi
  rm -rf "$fresh"
done
exit "$status"
