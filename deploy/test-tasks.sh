#!/usr/bin/env bash
# [D-H7] Tests what alerts the operator of one machine (docs/COMPOSE.md, Alerting): the tasks with a
# stand-in for docker, the copy off the machine with rclone, the mail with a real Alertmanager, and that the alerts read
# metrics that the exporters have, from a real PostgreSQL.
#
#   deploy/test-tasks.sh
set -euo pipefail
cd "$(dirname "$0")/.."

for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done
folder=$(mktemp -d)
chmod 711 "$folder"
port=$((20000 + RANDOM % 10000))
installation=$folder/solvane
tasks=$installation/deploy/compose/tasks
started=()

say() { echo "== $*"; }
fail() { echo "$*" >&2; exit 1; }

as_server() {
  local run=(env "PATH=$PATH" "PGHOST=$folder" "PGPORT=$port" POSTGRES_USER=postgres PGPASSWORD=postgres
    DATABASE_PASSWORDS_FILE="$folder/database-passwords" "$@")
  if [ "$(id -u)" = 0 ]; then run=(setpriv --reuid postgres --regid postgres --init-groups -- "${run[@]}"); fi
  "${run[@]}"
}

finish() {
  local status=$?
  trap - EXIT
  for id in "${started[@]}"; do kill "$id" 2>/dev/null || true; done
  if [ -e "$folder/data/postmaster.pid" ]; then as_server pg_ctl --silent --pgdata "$folder/data" --mode immediate stop || true; fi
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

# until_true COMMAND…: for at most a minute.
until_true() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
    read -r -t 0.2 <> <(:) || true
  done
}

metric() { sed -n "s/^$1{task=\"$2\"} //p" "$tasks/$2.prom"; }

mkdir -p "$installation/services" "$folder/bin"
cp -r deploy "$installation/"
cp services/services.txt "$installation/services/"
rm -rf "$installation/deploy/compose/secrets" "$tasks"/*.prom
cd "$installation"
deploy/secrets.sh >/dev/null
# It writes down its arguments, and fails if asked to.
cat >"$folder/bin/docker" <<SCRIPT
#!/usr/bin/env bash
echo "\$*" >>"$folder/docker.log"
case "\$*" in
  "compose ps --services"*) echo postgres; echo wallet ;;
  "compose ps --format"*) echo "wallet unhealthy"; echo "trade healthy"; echo "postgres unhealthy" ;;
  "compose run --rm -T files-check") [ ! -e "$folder/missing" ] ;;
esac
SCRIPT
chmod 755 "$folder/bin/docker"
task() { PATH=$folder/bin:$PATH deploy/task.sh "$@"; }

say "a timer that never ran is late from its installation"
mkdir "$folder/units"
deploy/timers.sh install "$folder/units"
[ "$(metric task_failed audit)" = 0 ] || fail "a task failed before it ran"
[ "$(metric task_succeeded_at audit)" -ge $(($(date +%s) - 60)) ] || fail "a task is late at once"
if command -v systemd-analyze >/dev/null; then
  # It wants the commands to exist, which is so.
  (cd "$folder/units" && systemd-analyze verify ./*.timer)
fi

say "a task that succeeds, and one that fails, tell so"
task backup
grep -qx 'compose exec -T --user postgres postgres /deploy/backup.sh /backups' "$folder/docker.log" || fail "no base backup"
[ "$(metric task_failed backup)" = 0 ] || fail "the backup failed"
sed -i 's/^task_succeeded_at.*/task_succeeded_at{task="files"} 1000/' "$tasks/files.prom"
touch "$folder/missing"
if task files; then fail "a missing file is not noticed"; fi
[ "$(metric task_failed files)" = 1 ] || fail "the failure is not told"
[ "$(metric task_succeeded_at files)" = 1000 ] || fail "a failure counts as a success"
rm "$folder/missing"
task files
[ "$(metric task_failed files)" = 0 ] || fail "the failure stays"

say "certificates are renewed when they end, and what uses them starts again, with PostgreSQL's key"
: >"$folder/docker.log"
task certificates >/dev/null
if grep -q up "$folder/docker.log"; then fail "processes start again without need"; fi
rm deploy/compose/secrets/tls/wallet.crt
task certificates >/dev/null
tail -n 2 "$folder/docker.log" | diff - <(printf '%s\n' 'compose run --rm -T --no-deps postgres-files' \
  'compose up --detach --no-deps --force-recreate postgres wallet') || fail "not what uses certificates"

say "a process that does not answer starts again, and no server"
: >"$folder/docker.log"
task unhealthy 2>/dev/null
[ "$(grep restart "$folder/docker.log")" = 'compose restart wallet' ] || fail "restarted: $(cat "$folder/docker.log")"

say "the doctor names what an installation lacks, and is content with one that lacks nothing"
cat >"$folder/bin/docker" <<SCRIPT
#!/usr/bin/env bash
case "\$*" in
  "compose version --short") cat "$folder/version" ;;
  "compose ps --format"*) echo "gateway healthy"; cat "$folder/state" ;;
  "compose exec -T postgres"*) cat "$folder/people" ;;
  "compose exec -T mailer /usr/local/bin/service send-test ops@example.com") cat "$folder/answer"; [ ! -e "$folder/refused" ] ;;
esac
SCRIPT
for name in curl getent timedatectl df; do printf '#!/bin/sh\ncat %s\n' "$folder/$name" >"$folder/bin/$name"; done
chmod 755 "$folder/bin"/*
doctor() { PATH=$folder/bin:$PATH deploy/doctor.sh 2>/dev/null; }
echo 2.20.1 >"$folder/version"
echo ' 90%' >"$folder/df"
echo "wallet unhealthy" >"$folder/state"
echo 0 >"$folder/people"
sed -i 's/^task_failed.*/task_failed{task="audit"} 1/' "$tasks/audit.prom"
sed -i 's/^task_succeeded_at.*/task_succeeded_at{task="files"} 1000/' "$tasks/files.prom"
chmod 755 deploy/compose/secrets
doctor >"$folder/found" && fail "the doctor is content"
for what in 'compose is 2.24' 'closed to other' 'clock is' 'disk has' 'URL is https' 'leads somewhere' 'are well' 'answers at' 'names a relay' \
  'takes connections' 'FROM is yours' 'EMAIL is set' 'KEYS is set' 'ROOTS_URL is set' 'place outside' 'task audit' 'task files' \
  'two administrators' 'two treasurers' 'a reviewer' 'your company'; do
  grep -q "^WRONG .*$what" "$folder/found" || fail "the doctor does not see: $what"
done
grep -q '^ok .*task backup' "$folder/found" || fail "the doctor sees what is not: $(grep backup "$folder/found")"
echo 2.30.0 >"$folder/version"
echo ' 40%' >"$folder/df"
echo "wallet healthy" >"$folder/state"
echo 2 >"$folder/people"
echo yes >"$folder/timedatectl"
touch "$folder/curl" "$folder/getent"
echo COPY_TO=bucket >>deploy/compose/secrets/copy.env
chmod 700 deploy/compose/secrets
for name in audit files copy unhealthy certificates backup; do rm -f "$tasks/$name.prom"; deploy/task.sh "$name" expected; done
python3 -c 'import socket, sys, time; one = socket.create_server(("127.0.0.1", int(sys.argv[1]))); time.sleep(600)' "$((port + 5))" &
started+=($!)
cat >.env <<ENV
PUBLIC_URL=https://solvane.example.com
SMTP_URL="smtp://user:pass@127.0.0.1:$((port + 5))"
MAIL_FROM='Solvane <no-reply@example.com>'
ALERT_EMAIL=staff@example.com
TREASURY_KEYS=key
COMPANY='Acme Ltd.'
COMPANY_ADDRESS='1 Road, Dublin'
SUPPORT_EMAIL=hello@example.com
PRIVACY_EMAIL=privacy@example.com
JURISDICTION=Ireland
TERMS_DATE='November 21, 2026'
ROOTS_URL=s3://roots
ENV
content() { doctor >"$folder/found"; }
until_true content || { cat "$folder/found"; exit 1; }
echo "the relay took the mail: 250 taken" >"$folder/answer"
PATH=$folder/bin:$PATH deploy/doctor.sh ops@example.com >"$folder/found" || fail "a mail that is taken is wrong"
grep -A 1 -x "the relay took the mail: 250 taken" "$folder/found" | grep -q '^ok .*takes a mail to ops@' || fail "no answer of the relay"
echo "Error: the relay refuses: 550" >"$folder/answer"
touch "$folder/refused"
PATH=$folder/bin:$PATH deploy/doctor.sh ops@example.com >"$folder/found" 2>/dev/null && fail "a mail that is refused is right"
grep -q '^WRONG .*takes a mail to ops@' "$folder/found" || fail "the doctor does not see a refused mail"

say "backups and files leave the machine encrypted, and come back whole"
mkdir -p "$folder"/backups/{base/20261127T020000Z/pg_notify,base/new.part,wal} "$folder"/files/receipts "$folder/away"
echo 17 >"$folder/backups/base/20261127T020000Z/PG_VERSION"
echo log >"$folder/backups/wal/000000010000000000000001.gz"
echo half >"$folder/backups/wal/000000010000000000000002.gz.part"
echo receipt >"$folder/files/receipts/a"
copy() {
  COPY_TO=$folder/away RCLONE_CONFIG_AWAY_TYPE=local COPY_PASSWORD_FILE=deploy/compose/secrets/copy-password \
    BACKUPS_FOLDER=$1/backups FILES_FOLDER=$1/files bash deploy/copy.sh "$2"
}
copy "$folder" out
copy "$folder" out
[ "$(find "$folder/away" -type f | wc -l)" = 4 ] || fail "copied: $(find "$folder/away" -type f)"
if grep -rq receipt "$folder/away"; then fail "the copy is readable"; fi
mkdir "$folder/new"
copy "$folder/new" back
rm -r "$folder/backups/base/new.part" "$folder/backups/wal"/*.part
diff -r "$folder/backups" "$folder/new/backups" || fail "the backups are not those that were copied"
diff -r "$folder/files" "$folder/new/files" || fail "the files are not those that were copied"
[ -d "$folder/new/backups/base/20261127T020000Z/pg_notify" ] || fail "an empty folder is missing: PostgreSQL does not start"
if COPY_TO="" bash deploy/copy.sh out 2>/dev/null; then fail "nowhere is a place to copy to"; fi

say "the alerts read what the exporters have"
openssl rand -hex 8 >/dev/null
printf 'postgres\n' >"$folder/password"
cp deploy/compose/secrets/database-passwords "$folder/"
chmod 644 "$folder/password" "$folder/database-passwords"
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
as_server initdb --pgdata "$folder/data" --username postgres --auth scram-sha-256 --pwfile "$folder/password" >/dev/null
as_server pg_ctl --silent --wait --pgdata "$folder/data" --log "$folder/server.log" \
  --options "-p $port -k $folder -c listen_addresses=127.0.0.1" start
as_server bash -s <deploy/compose/postgres/10-databases.sh
as_server psql -qXc "SELECT pg_create_physical_replication_slot('standby')" -U postgres -d postgres >/dev/null
url=$(sed -n 's/^DATA_SOURCE_NAME=//p' deploy/compose/secrets/monitor.env)
url=${url/@postgres:5432/@127.0.0.1:$port}
DATA_SOURCE_NAME="${url%\?*}?sslmode=disable" prometheus-postgres-exporter --web.listen-address="127.0.0.1:$((port + 1))" 2>/dev/null &
started+=($!)
prometheus-node-exporter --web.listen-address="127.0.0.1:$((port + 2))" --collector.disable-defaults --collector.filesystem \
  --collector.textfile --collector.textfile.directory="$tasks" 2>/dev/null &
started+=($!)
scraped() { curl -fsS "http://127.0.0.1:$1/metrics" | sed -n 's/^\([a-z_0-9]*\)[{ ].*/\1/p' | sort -u; }
until_true scraped "$((port + 1))"
until_true scraped "$((port + 2))"
{ scraped "$((port + 1))"; scraped "$((port + 2))"; } >"$folder/metrics"
while read -r name; do
  grep -qx "$name" "$folder/metrics" || fail "no exporter has $name"
done < <(grep -ohE '\b(pg|node|task)_[a-z_]+' deploy/observability/rules/alerts.yaml | sort -u | grep -v pg_replication_slot)
# Its name differs between versions, and the alert takes each.
grep -qxE 'pg_replication_slots?_(active|slot_is_active)' "$folder/metrics" || fail "no exporter has the slots of standbys"
if as_server psql -qX "postgres://monitor:$(sed -n 's/^monitor //p' "$folder/database-passwords")@127.0.0.1:$port/wallet" -c 'SELECT 1' >/dev/null 2>&1; then
  fail "the role of metrics reaches the ledger"
fi

say "an alert arrives as mail"
cat >"$folder/relay.py" <<'PYTHON'
import asyncio, sys

async def session(reader, writer):
    writer.write(b"220 relay\r\n")
    data = False
    while line := await reader.readline():
        open(sys.argv[2], "ab").write(line)
        if data:
            if line == b".\r\n":
                data = False
                writer.write(b"250 kept\r\n")
        elif line[:4].upper() == b"DATA":
            data = True
            writer.write(b"354 go on\r\n")
        elif line[:4].upper() == b"EHLO":
            writer.write(b"250-relay\r\n250 AUTH PLAIN\r\n")
        elif line[:4].upper() == b"AUTH":
            writer.write(b"235 welcome\r\n")
        else:
            writer.write(b"250 ok\r\n")
        await writer.drain()

async def main():
    async with await asyncio.start_server(session, "127.0.0.1", int(sys.argv[1])) as server:
        await server.serve_forever()

asyncio.run(main())
PYTHON
python3 "$folder/relay.py" "$((port + 3))" "$folder/mail" &
started+=($!)
alertmanager() {
  ALERTMANAGER=prometheus-alertmanager ALERTMANAGER_FILE=$folder/alertmanager.yml MAIL_FROM='Solvane <no-reply@example.com>' \
    PUBLIC_URL=https://solvane.example.com exec sh deploy/observability/alertmanager.sh "$@"
}
(ALERT_EMAIL=staff@example.com SMTP_URL="smtp://solvane:it%27s%2Fsecret@127.0.0.1:$((port + 3))" \
  alertmanager --web.listen-address="127.0.0.1:$((port + 4))") 2>"$folder/alertmanager.log" &
started+=($!)
until_true amtool check-config "$folder/alertmanager.yml"
until_true amtool alert add BackupLate severity=page --annotation=summary="No backup" --alertmanager.url="http://127.0.0.1:$((port + 4))"
until_true grep -q 'BackupLate' "$folder/mail"
grep -q 'RCPT TO:<staff@example.com>' "$folder/mail" || fail "the mail goes to somebody else"
grep -q "$(printf '\0solvane\0it'\''s/secret' | base64)" "$folder/mail" || fail "the password is not that of SMTP_URL"
for url in smtps://relay.example.com 'smtp://relay.example.com?tls=required' smtp://mail:1025; do
  (ALERT_EMAIL="" SMTP_URL=$url ALERTMANAGER_FILE=$folder/other.yml ALERTMANAGER=true MAIL_FROM=a@example.com PUBLIC_URL=http://localhost \
    sh deploy/observability/alertmanager.sh) 2>/dev/null
  amtool check-config "$folder/other.yml" >/dev/null || fail "$url: $(cat "$folder/other.yml")"
  grep 'smarthost\|require_tls' "$folder/other.yml" | tr -d "\n'" && echo
done | diff - <(printf '%s\n' '  smtp_smarthost: relay.example.com:465  smtp_require_tls: true' \
  '  smtp_smarthost: relay.example.com:587  smtp_require_tls: true' '  smtp_smarthost: mail:1025  smtp_require_tls: false') || fail "another relay"
say "tasks, copies and alerts do what the guide says"
