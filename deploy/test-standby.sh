#!/usr/bin/env bash
# [D-H1] [D-H3] [D-H7] Tests a standby on a second machine (docs/COMPOSE.md, Two machines) with two servers of this machine,
# the first of which was restored from a backup, twice: every commit is on both, the second takes over with all of them, the
# first acknowledges nothing when it comes back, and becomes the standby.
#
#   deploy/test-standby.sh
set -euo pipefail
cd "$(dirname "$0")/.."

for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done
folder=$(mktemp -d)
chmod 711 "$folder"
first=$((20000 + RANDOM % 10000))
second=$((first + 1))

say() { echo "== $*"; }
fail() { echo "$*" >&2; exit 1; }

# Runs a command as the user of PostgreSQL, as in its container.
as_server() {
  local run=(env "HOME=$folder" "PATH=$PATH" PGUSER=postgres "PGHOST=$folder" POSTGRES_PASSWORD_FILE="$folder/password"
    PGSSLROOTCERT="$folder/ca.crt" "$@")
  if [ "$(id -u)" = 0 ]; then run=(setpriv --reuid postgres --regid postgres --init-groups -- "${run[@]}"); fi
  "${run[@]}"
}

standby() { local port=$1; shift; as_server env PGPORT="$port" "$folder/standby.sh" "$@"; }
ask() { as_server env PGPORT="$1" PGPASSWORD="$(cat "$folder/password")" timeout 5 psql -qXAt -v ON_ERROR_STOP=1 -c "$2"; }
data() { echo "$folder/data-$1"; }

start() {
  local port=$1
  as_server pg_ctl --silent --wait --pgdata "$(data "$port")" --log "$folder/$port.log" --options "-p $port -k $folder \
    -c listen_addresses=127.0.0.1 -c ssl=on -c ssl_cert_file=$folder/tls.crt -c ssl_key_file=$folder/tls.key \
    -c archive_mode=on -c 'archive_command=$folder/archive-wal.sh $folder/backups-$port %p %f'" start
}

# waits PORT CONDITION: until the server answers this question with yes.
waits() {
  local limit=$((SECONDS + 30))
  until [ "$(ask "$1" "SELECT $2" 2>/dev/null)" = t ]; do
    [ "$SECONDS" -lt "$limit" ] || fail "$1: $2"
    read -r -t 0.2 <> <(:) || true
  done
}

is_primary() { [ "$(ask "$1" 'SELECT pg_is_in_recovery()')" = f ]; }

stop() { as_server pg_ctl --silent --pgdata "$(data "$1")" --mode "$2" stop; }

finish() {
  local status=$?
  trap - EXIT
  for port in "$first" "$second"; do
    if [ -e "$(data "$port")/postmaster.pid" ]; then stop "$port" immediate || true; fi
    if [ "$status" -ne 0 ]; then tail -n 20 "$folder/$port.log" >&2 || true; fi
  done
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

# The standby of the server at this port follows it.
follows() { waits "$1" "EXISTS (SELECT FROM pg_stat_replication WHERE application_name = 'standby' AND state = 'streaming')"; }

# Base backups of the first server are named by the second of their end.
back_up() {
  read -r -t 1.1 <> <(:) || true
  as_server env PGPORT="$first" "$folder/backup.sh" "$folder/backups-$first" >/dev/null
}

# The first server is lost, and comes back as it was at MOMENT, by default the end of the log.
restore() {
  local log
  log=$(ask "$first" 'SELECT pg_walfile_name(pg_switch_wal())')
  waits "$first" "last_archived_wal COLLATE \"C\" >= '$log' FROM pg_stat_archiver"
  stop "$first" immediate
  rm -rf "$(data "$first")"
  as_server "$folder/restore.sh" "$folder/backups-$first" "$(data "$first")" "$@"
  start "$first"
  waits "$first" "NOT pg_is_in_recovery()"
}

certificate() {
  local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
  openssl req -x509 "${key[@]}" -keyout "$folder/ca.key" -out "$folder/ca.crt" -days 2 -subj /CN=test
  openssl req "${key[@]}" -keyout "$folder/tls.key" -out "$folder/tls.csr" -subj /CN=postgres
  openssl x509 -req -in "$folder/tls.csr" -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -CAcreateserial -days 2 \
    -out "$folder/tls.crt"
}

say "a primary, restored to a point in time"
openssl rand -hex 20 >"$folder/password"
certificate 2>"$folder/certificate.log"
install -m 755 deploy/{standby,replay,archive-wal,backup,restore}.sh "$folder/"
mkdir -p "$folder/backups-$first/wal" "$folder/backups-$second/wal"
if [ "$(id -u)" = 0 ]; then chown -R postgres "$folder"; fi
as_server initdb --pgdata "$(data "$first")" --username postgres --auth scram-sha-256 --pwfile "$folder/password" >"$folder/initdb.log"
echo 'host all all all scram-sha-256' >>"$(data "$first")/pg_hba.conf"
start "$first"
ask "$first" 'CREATE TABLE outbox (published_at timestamptz DEFAULT now()); INSERT INTO outbox SELECT FROM generate_series(1, 100)'
back_up
read -r -t 2 <> <(:) || true
moment=$(ask "$first" 'SELECT now()')
ask "$first" 'INSERT INTO outbox DEFAULT VALUES'
# Of a time that the restore gives up.
back_up
restore "$moment"
[ "$(ask "$first" 'SELECT count(*) FROM outbox')" = 100 ] || fail "it is not restored to $moment"

say "it goes on, is lost again, and comes back to the end of the log: from before the first restore, and from after it"
ask "$first" 'INSERT INTO outbox SELECT FROM generate_series(1, 100)'
restore
[ "$(ask "$first" 'SELECT count(*) FROM outbox')" = 200 ] || fail "what came after the first restore is lost"
ask "$first" 'INSERT INTO outbox SELECT FROM generate_series(1, 100)'
back_up
ask "$first" 'INSERT INTO outbox SELECT FROM generate_series(1, 100)'
restore
[ "$(ask "$first" 'SELECT count(*) FROM outbox')" = 400 ] || fail "what came after the last base backup is lost"

say "commits wait for a standby once there is one"
standby "$first" allow
if standby "$first" require 2>/dev/null; then fail "commits would wait for a standby that is not there"; fi
standby "$first" copy "127.0.0.1 port=$first" "$(data "$second")"
if standby "$first" copy "127.0.0.1 port=$first" "$(data "$second")" 2>/dev/null; then fail "a second copy overwrote the first"; fi
start "$second"
follows "$first"
standby "$first" require
ask "$first" 'INSERT INTO outbox SELECT FROM generate_series(1, 600)'
if is_primary "$second"; then fail "the standby is a primary"; fi
[ "$(ask "$first" 'SELECT sync_state FROM pg_stat_replication')" = sync ] || fail "commits do not wait for the standby"

say "the first machine is lost: the second has every commit, and takes over"
stop "$first" immediate
if standby "$first" promote 2>"$folder/promote.log"; then fail "a server that is down was promoted"; fi
if grep -q 'primary already' "$folder/promote.log"; then fail "a server that does not answer passes for a primary"; fi
standby "$second" promote
[ "$(ask "$second" 'SELECT count(*) FROM outbox')" = 1000 ] || fail "a commit is lost"
if standby "$second" promote 2>/dev/null; then fail "a primary was promoted"; fi
as_server env PGPORT="$second" "$folder/replay.sh" '1 hour ago' postgres

say "the first machine comes back and acknowledges nothing; then it is the standby"
start "$first"
if ask "$first" 'INSERT INTO outbox DEFAULT VALUES' 2>/dev/null; then fail "both accept commits"; fi
stop "$first" immediate
rm -rf "$(data "$first")"
standby "$second" allow
standby "$second" copy "127.0.0.1 port=$second" "$(data "$first")"
start "$first"
follows "$second"
standby "$second" require
ask "$second" 'INSERT INTO outbox DEFAULT VALUES'
[ "$(ask "$first" 'SELECT count(*) FROM outbox')" = 1001 ] || fail "a commit is on one machine alone"
is_primary "$second" || fail "the second is no primary"
if is_primary "$first"; then fail "there are two primaries"; fi
say "two machines: nothing that was acknowledged is lost"
