#!/usr/bin/env bash
# Proves the backup: a product with a lived-in member is backed up while it runs, restored into a fresh PostgreSQL with
# nothing but roles and empty databases, audited there, and compared with the original table by table.
#
#   deploy/test-restore.sh      uses the built binaries beside TARGET/debug/stack
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${STACK_BIN:-${CARGO_TARGET_DIR:-target}/debug}
names=(mailer wallet trade auth payment_method)

# In the fresh PostgreSQL of a testbed, as its administrator.
restore() {
  local backup=$1 server=${DATABASE_URL%/*} name before after role
  export PGOPTIONS='--client-min-messages=warning'
  for name in "${names[@]}"; do
    for role in "$name" "${name}_owner"; do
      psql -qX -v ON_ERROR_STOP=1 "$DATABASE_URL" -c "CREATE ROLE $role LOGIN PASSWORD 'restore'"
    done
    psql -qX -v ON_ERROR_STOP=1 "$DATABASE_URL" -c "CREATE DATABASE $name OWNER ${name}_owner"
    export "${name^^}_DATABASE_URL=postgres://${name}_owner:restore@${server##*@}/$name"
  done
  deploy/restore.sh "$backup"
  if deploy/restore.sh "$backup" wallet 2>/dev/null; then
    echo "a second restore went over the first" >&2
    exit 1
  fi
  "$bin/audit" >"$backup/audit.txt" || { grep -A 20 BROKEN "$backup/audit.txt" >&2; exit 1; }
  tail -n 1 "$backup/audit.txt"
  for name in "${names[@]}"; do
    url="${name^^}_DATABASE_URL"
    before="$backup/$name.rows"
    after=$(rows "${!url}")
    diff <(cat "$before") <(printf '%s\n' "$after") || { echo "$name differs" >&2; exit 1; }
  done
  # The service's role has its rights, and no more of them, as before.
  role=postgres://wallet:restore@${server##*@}/wallet
  psql -qXAt -v ON_ERROR_STOP=1 "$role" -c 'SELECT count(*) FROM entries' >/dev/null
  if psql -qX "$role" -c 'DELETE FROM entries' 2>/dev/null; then
    echo "the restored ledger can be changed" >&2
    exit 1
  fi
  deploy/replay.sh '1 day ago'
  echo "restored: every table has its rows, the rights are as before"
}

# Rows and a checksum of every table, those aside that change by themselves.
rows() {
  local table
  psql -qXAt "$1" -c "SELECT tablename FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('outbox', 'sessions', 'viewings', 'login_throttles', 'mail_requests') ORDER BY 1" |
    while read -r table; do
      psql -qXAt "$1" -c "SELECT '$table', count(*), md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))) FROM $table t"
    done
}

product() {
  local folder=$1 names_of_urls end=$((SECONDS + 240))
  STACK_DIR=$folder/stack STACK_PORT=${STACK_PORT:-8197} "$bin/stack" demo >"$folder/stack.log" 2>&1 &
  product=$!
  until grep -q ' ready ' "$folder/stack.log"; do
    if [ "$SECONDS" -gt "$end" ] || ! kill -0 "$product" 2>/dev/null; then tail "$folder/stack.log" >&2; exit 1; fi
    read -r -t 0.5 <> <(:) || true
  done
  # shellcheck disable=SC2016
  names_of_urls=$(node -e '
    const { databases } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    for (const [name, url] of Object.entries(databases)) {
      console.log(`${name.replaceAll("-", "_").toUpperCase()}_DATABASE_URL=${url}`);
    }' "$folder/stack/running.json")
  while read -r line; do export "${line?}"; done <<<"$names_of_urls"
}

if [ "${1:-}" = restore ]; then
  restore "$2"
  exit
fi

folder=$(mktemp -d)
product=""
finish() {
  local status=$?
  trap - EXIT
  if [ -n "$product" ] && kill "$product" 2>/dev/null; then wait "$product" || true; fi
  STACK_DIR=$folder/stack "$bin/stack" reset >/dev/null 2>&1 || true
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT
chmod 755 "$folder"
product "$folder"
backup=$(deploy/backup.sh "$folder/backups")
# The store is copied after the databases, and then holds every file that their rows name.
[ -s "$backup/files" ] || { echo "the backup names no files" >&2; exit 1; }
missing=$(cd "$folder/stack/files" && find . -type f -printf '%P\n' | LC_ALL=C sort | LC_ALL=C comm -23 "$backup/files" -)
[ -z "$missing" ] || { echo "files that rows name are not in the store: $missing" >&2; exit 1; }
for name in "${names[@]}"; do
  url="${name^^}_DATABASE_URL"
  rows "${!url}" >"$backup/$name.rows"
done
if kill "$product"; then wait "$product" || true; fi
product=""
"$bin/stack" testbed -- "$0" restore "$backup"
