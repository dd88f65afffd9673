#!/usr/bin/env bash
# [D-B14] [D-H7] Tests backup and restore: backs up a product while a member deposits, trades and withdraws, lets it continue,
# and deletes it with all its servers. Restores the backup and the log on empty servers to a point in between. After a
# replay the audit must be clean, everything acknowledged before that point must be present, and nothing after it. Then
# everything is lost again, and comes back to the end of the log.
#
#   deploy/test-restore.sh      uses the binaries in TARGET/debug
set -euo pipefail
cd "$(dirname "$0")/.."

# What is in the first of several buckets of members is in the others, too.
export WALLET_BUCKETS=2
bin=${STACK_BIN:-${CARGO_TARGET_DIR:-target}/debug}
folder=$(mktemp -d)
chmod 755 "$folder"
stack=$folder/stack backups=$folder/backups data=$folder/stack/pg/data
export STACK_DIR=$stack STACK_PORT=${STACK_PORT:-8197}
product="" traffic=""

say() { echo "== $*"; }

end() {
  local pid=$1
  if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then wait "$pid" || true; fi
}

finish() {
  local status=$?
  trap - EXIT
  end "$traffic"
  end "$product"
  if [ "$status" -ne 0 ]; then tail -n 20 "$folder"/*.log "$stack/logs/postgres.log" >&2 || true; fi
  "$bin/stack" reset >/dev/null 2>&1 || true
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

# Runs a command as the user of PostgreSQL.
as_server() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid postgres --regid postgres --init-groups -- "$@"
  else
    "$@"
  fi
}

# Starts the product with `run` or `demo`, and sets NAME_DATABASE_URL for its databases.
start() {
  local limit=$((SECONDS + 240)) line
  # Emptied first: the loop below would find the line of an earlier start before the shell has opened the file.
  : >"$folder/$1.log"
  "$bin/stack" "$1" >>"$folder/$1.log" 2>&1 &
  product=$!
  until grep -q ' ready ' "$folder/$1.log"; do
    if [ "$SECONDS" -gt "$limit" ] || ! kill -0 "$product" 2>/dev/null; then exit 1; fi
    read -r -t 0.5 <> <(:) || true
  done
  # shellcheck disable=SC2016
  while read -r line; do export "${line?}"; done < <(node -e '
    const { databases } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    for (const [name, url] of Object.entries(databases)) {
      console.log(`${name.replaceAll("-", "_").toUpperCase()}_DATABASE_URL=${url}`);
    }
    console.log(`PGPORT=${new URL(databases.wallet).port}`);' "$stack/running.json")
}

# The server archives its log and trusts local connections of the administrator, like the socket in a container.
archive() {
  local wal=$backups/wal
  install -d -m 755 "$backups"
  install -d -m 700 "$backups/base" "$wal"
  if [ "$(id -u)" = 0 ]; then chown postgres: "$backups" "$backups/base" "$wal"; fi
  # The server's user may not have access to this repository.
  install -m 755 deploy/archive-wal.sh deploy/backup.sh deploy/restore.sh "$folder/"
  cat >>"$data/postgresql.auto.conf" <<CONF
archive_mode = on
archive_command = '$folder/archive-wal.sh $backups %p %f'
CONF
  sed -i '1i host all,replication postgres 127.0.0.1/32 trust' "$data/pg_hba.conf"
}

ask() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }

# The rows of the ledger and trades written before a given time, with a checksum that includes their authors and times.
rows() {
  local before=$1
  ask "$WALLET_DATABASE_URL" -c "SELECT 'entries', count(*), md5(string_agg(md5(e::text), '' ORDER BY e.account_id, e.posting_id))
    FROM wallet_all.entries e JOIN wallet_all.postings p ON p.id = e.posting_id WHERE p.created_at < '$before'"
  ask "$WALLET_DATABASE_URL" -c "SELECT 'postings', count(*), md5(string_agg(md5(p::text), '' ORDER BY p.id))
    FROM wallet_all.postings p WHERE p.created_at < '$before'"
  ask "$WALLET_DATABASE_URL" -c "SELECT 'transactions', count(*) FROM wallet_all.transactions WHERE created_at < '$before'"
  ask "$WALLET_DATABASE_URL" -c "SELECT 'fundings', count(*) FROM wallet_all.trade_fundings WHERE created_at < '$before'"
  ask "$TRADE_DATABASE_URL" -c "SELECT 'trades', count(*) FROM trades WHERE created_at < '$before'"
  ask "$AUTH_DATABASE_URL" -c "SELECT 'users', count(*) FROM users WHERE created_at < '$before'"
}

# Waits until the given number of further trades have ended.
trades_go_on() {
  local limit=$((SECONDS + 120)) begun count
  begun=$(ask "$TRADE_DATABASE_URL" -c "SELECT count(*) FROM trades WHERE status = 'closed'")
  until count=$(ask "$TRADE_DATABASE_URL" -c "SELECT count(*) FROM trades WHERE status = 'closed'"); [ "$count" -ge $((begun + $1)) ]; do
    [ "$SECONDS" -lt "$limit" ] || { echo "no further trades have ended" >&2; exit 1; }
    read -r -t 0.2 <> <(:) || true
  done
}

# A base backup, whose folder it prints. Their names have a resolution of one second.
back_up() {
  read -r -t 2 <> <(:) || true
  as_server env PGHOST=127.0.0.1 PGPORT="$PGPORT" "$folder/backup.sh" "$backups"
}

begin_traffic() {
  "$bin/stack" traffic >"$folder/traffic.log" 2>&1 &
  traffic=$!
}

end_traffic() {
  end "$traffic"
  traffic=""
  cat "$folder/traffic.log"
}

# Rows written this long before now are committed.
settled() { ask "$WALLET_DATABASE_URL" -c "SELECT clock_timestamp() - interval '6 seconds'"; }

# All of the log so far is in the archive. A file is archived when it is full, or after archive_timeout.
archived() {
  local last limit=$((SECONDS + 60))
  last=$(ask "postgres://postgres@127.0.0.1:$PGPORT/postgres" -c "SELECT pg_walfile_name(pg_switch_wal())")
  until [ -e "$backups/wal/$last.gz" ]; do
    [ "$SECONDS" -lt "$limit" ] || { echo "the log is not archived" >&2; exit 1; }
    read -r -t 0.2 <> <(:) || true
  done
}

# Everything is lost, and comes back as it was at MOMENT (empty: at the end of the log), from the given base backup.
restore() {
  rm -rf "$data" "$stack/rabbitmq"
  as_server "$folder/restore.sh" "$backups" "$data" "$1" >"$folder/restored"
  cat "$folder/restored"
  grep -qF "from $2 up to" "$folder/restored" || { echo "it was to begin from $2" >&2; exit 1; }
}

# Events go out again, what was begun ends, and the books are clean.
clean() {
  local limit=$((SECONDS + 90))
  deploy/replay.sh '1 day ago'
  until "$bin/stack" audit >"$folder/audit.log" && "$bin/stack" reconcile >"$folder/reconcile.log"; do
    [ "$SECONDS" -lt "$limit" ] || { grep -A 20 BROKEN "$folder/audit.log" >&2; cat "$folder/reconcile.log" >&2; exit 1; }
    read -r -t 1 <> <(:) || true
  done
  tail -n 1 "$folder/audit.log"
  cat "$folder/reconcile.log"
}

say "a product with a lived-in member, whose server archives its log"
start run
end "$product"
archive
start demo
begin_traffic
trades_go_on 10
say "a base backup while it is at work"
base=$(back_up)
say "any point of the last 7 days needs the newest base backup from before them, and none older"
for age in 9 8; do
  kept=$backups/base/$(date -u -d "$age days ago" +%Y%m%dT%H%M%SZ)
  as_server install -D "$base/backup_label" "$kept/backup_label"
done
newest=$(back_up)
diff <(printf '%s\n' "$kept" "$base" "$newest") <(find "$backups/base" -mindepth 1 -maxdepth 1 | LC_ALL=C sort)
rm -rf "$kept"
read -r -t 2 <> <(:) || true
trades_go_on 10
moment=$(ask "$WALLET_DATABASE_URL" -c "SELECT clock_timestamp()")
before=$(settled)
rows "$before" >"$folder/rows"
trades_go_on 10
end_traffic
after=$(ask "$WALLET_DATABASE_URL" -c "SELECT count(*) FROM wallet_all.postings WHERE created_at >= '$moment'")
[ "$after" -gt 0 ] || { echo "nothing was posted after the point in time" >&2; exit 1; }
given_up=$(back_up)
archived
end "$product"
product=""

say "everything is lost; PostgreSQL comes back as it was at $moment"
begun=$SECONDS
restore "$moment" "$newest"
if as_server "$folder/restore.sh" "$backups" "$data" "$moment" 2>/dev/null; then
  echo "a second restore overwrote the first" >&2
  exit 1
fi
start run
echo "back after $((SECONDS - begun)) s"
[ "$(ask "postgres://postgres@127.0.0.1:$PGPORT/postgres" -c 'SELECT pg_is_in_recovery()')" = f ]
diff "$folder/rows" <(rows "$before") || { echo "the restored rows differ from those written before" >&2; exit 1; }
later=$(ask "$WALLET_DATABASE_URL" -c "SELECT count(*) FROM wallet_all.postings
  WHERE created_at BETWEEN '$moment' AND (SELECT pg_postmaster_start_time())")
[ "$later" = 0 ] || { echo "$later postings are later than the point in time" >&2; exit 1; }

say "events go out again, what was begun ends, and the books are clean"
clean
deploy/check-files.sh "$stack/files"
"$bin/audit" reconcile
# The service's role must have the same privileges as before.
if ask "postgres://postgres@127.0.0.1:$PGPORT/wallet" -c 'SET ROLE wallet; DELETE FROM entries' 2>/dev/null; then
  echo "the service can write to the restored ledger" >&2
  exit 1
fi

say "what was given up with the restore is no way to the end of the log"
as_server "$folder/restore.sh" "$backups" "$stack/pg/elsewhere" >"$folder/elsewhere"
grep -qF "from $newest up to" "$folder/elsewhere" || { echo "$given_up is before a time that was given up" >&2; exit 1; }
rm -rf "$stack/pg/elsewhere"

say "the restored product goes on, and is lost again: it comes back to the end of the log"
newest=$(back_up)
begin_traffic
trades_go_on 10
end_traffic
read -r -t 7 <> <(:) || true
before=$(settled)
rows "$before" >"$folder/rows"
archived
end "$product"
product=""
restore "" "$newest"
start run
diff "$folder/rows" <(rows "$before") || { echo "the second restore lost rows" >&2; exit 1; }
clean
left=$(ask "postgres://postgres@127.0.0.1:$PGPORT/postgres" -c "SELECT name FROM pg_file_settings
  WHERE name ~ '^(recovery_|restore_|primary_)' OR name IN ('hot_standby', 'synchronous_standby_names')")
[ -z "$left" ] || { echo "settings of the restore are still there: $left" >&2; exit 1; }
say "restored twice: a moment in between, and the end of the log, whole"
