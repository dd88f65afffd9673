#!/usr/bin/env bash
# [D-H7] Tests what an operator does with secrets and databases of one machine (docs/COMPOSE.md, docs/KEYS.md) with a real
# PostgreSQL and a stand-in for docker: what the operator wrote stays, a version with a new service gets its database, and
# a new password is the one that the server and the files have, and the check of a copy of the uploaded files (docs/BACKUP.md)
# finds what is missing.
#
#   deploy/test-secrets.sh
set -euo pipefail
cd "$(dirname "$0")/.."

for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done
folder=$(mktemp -d)
chmod 711 "$folder"
port=$((20000 + RANDOM % 10000))
installation=$folder/solvane
secrets=$installation/deploy/compose/secrets

say() { echo "== $*"; }
fail() { echo "$*" >&2; exit 1; }

# Runs a command as the user of PostgreSQL, as in its container.
as_server() {
  local run=(env "HOME=$folder" "PATH=$PATH" "PGHOST=$folder" "PGPORT=$port" POSTGRES_USER=postgres
    POSTGRES_PASSWORD_FILE="$folder/run/postgres-password" DATABASE_PASSWORDS_FILE="$folder/run/database-passwords" "$@")
  if [ "$(id -u)" = 0 ]; then run=(setpriv --reuid postgres --regid postgres --init-groups -- "${run[@]}"); fi
  "${run[@]}"
}

finish() {
  local status=$?
  trap - EXIT
  if [ -e "$folder/data/postmaster.pid" ]; then as_server pg_ctl --silent --pgdata "$folder/data" --mode immediate stop || true; fi
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

# The password in an address.
password_in() { sed -n 's/^DATABASE_URL=postgres:\/\/[^:]*:\([^@]*\)@.*/\1/p' "$secrets/$1.env"; }
logs_in() { PGPASSWORD=$3 psql -qXAt -h 127.0.0.1 -p "$port" -U "$1" -d "$2" -c 'SELECT 1' >/dev/null 2>&1; }

# What docker mounts into the container of PostgreSQL, as of its last start.
mount_secrets() {
  install -d -m 755 "$folder/run" "$folder/scripts"
  install -m 444 "$secrets/postgres-password" "$secrets/database-passwords" "$folder/run/"
  install -m 755 deploy/compose/postgres/*.sh "$folder/scripts/"
}

say "secrets, a server, and the databases of its services"
mkdir -p "$installation/services" "$folder/bin"
cp -r deploy "$installation/"
rm -rf "$secrets"
cp services/services.txt "$installation/services/"
"$installation/deploy/secrets.sh" >/dev/null
mount_secrets
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
as_server initdb --pgdata "$folder/data" --username postgres --auth scram-sha-256 --pwfile "$folder/run/postgres-password" >"$folder/initdb.log"
as_server pg_ctl --silent --wait --pgdata "$folder/data" --log "$folder/server.log" \
  --options "-p $port -k $folder -c listen_addresses=127.0.0.1" start
for script in 10-databases 20-auditor; do as_server bash "$folder/scripts/$script.sh" </dev/null; done
logs_in wallet wallet "$(password_in wallet)" || fail "wallet cannot log in"
logs_in course_worker course "$(password_in course-worker)" || fail "the media worker cannot log in"
if logs_in course_worker wallet "$(password_in course-worker)"; then fail "the media worker reaches the ledger"; fi

say "the broker's definitions name the exchange that permissions are given for"
node -e '
  const { exchanges, topic_permissions, policies, users } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  const names = new Set(exchanges.map(({ name }) => name))
  for (const { user, exchange } of topic_permissions) if (!names.has(exchange)) throw Error(`${user}: no exchange ${exchange}`)
  if (!policies.some(({ pattern }) => new RegExp(pattern).test("wallet.events.dead"))) throw Error("dead letters are dropped")
  if (users.some(({ name }) => name === "course-worker")) throw Error("the media worker has an account")
' "$secrets/rabbitmq-definitions.json"

say "make secrets changes nothing, and keeps what the operator wrote"
before=$(cat "$secrets"/*.env)
"$installation/deploy/secrets.sh" >/dev/null
[ "$before" = "$(cat "$secrets"/*.env)" ] || fail "a second run changes files"
echo AWS_ACCESS_KEY_ID=mine >"$secrets/own.env"
"$installation/deploy/secrets.sh" >/dev/null
[ "$(cat "$secrets/own.env")" = AWS_ACCESS_KEY_ID=mine ] || fail "own.env was written again"
grep -q COPY_TO "$secrets/copy.env" || fail "no example of a copy"

say "a version with a new service and a new role: the upgrade step adds both, and asks for no password"
as_server env PGPASSWORD="$(cat "$secrets/postgres-password")" psql -qX -U postgres -d postgres \
  -c 'DROP DATABASE course' -c 'DROP ROLE course' -c 'DROP ROLE course_owner' -c 'DROP ROLE course_worker'
for script in 10-databases 20-auditor; do as_server bash "$folder/scripts/$script.sh" </dev/null; done
logs_in course course "$(password_in course)" || fail "the new service cannot log in"

say "a new password: the server and the files have it, the process starts again, the old one is over"
# docker compose exec -T postgres … runs on the server of the test; everything else is written down.
cat >"$folder/bin/docker" <<SCRIPT
#!/usr/bin/env bash
$(declare -p folder port; declare -f as_server)
shift
case "\$*" in
  "exec -T postgres "*) shift 3; PATH='$PATH' as_server "\$@" ;;
  *) { echo "\$*"; [ "\$1" != exec ] || cat; } >>"$folder/docker.log" ;;
esac
SCRIPT
chmod 755 "$folder/bin"/*
rotate() { PATH=$folder/bin:$PATH "$installation/deploy/rotate-password.sh" "$@" >/dev/null; }
old=$(password_in wallet)
rotate database:wallet
[ "$(password_in wallet)" != "$old" ] || fail "the file has the old password"
logs_in wallet wallet "$(password_in wallet)" || fail "the new password does not work"
if logs_in wallet wallet "$old"; then fail "the old password works"; fi
grep -qx 'up --detach --no-deps --force-recreate wallet' "$folder/docker.log" || fail "wallet was not started again"
"$installation/deploy/secrets.sh" >/dev/null
logs_in wallet wallet "$(password_in wallet)" || fail "make secrets took the new password back"
: >"$folder/docker.log"
rotate broker:payment-method
fresh=$(sed -n 's/.*payment-method:\([^@]*\)@rabbitmq.*/\1/p' "$secrets/payment-method.env")
grep -qx 'exec -T rabbitmq rabbitmqctl change_password payment-method' "$folder/docker.log" || fail "the broker was not told"
grep -qx "$fresh" "$folder/docker.log" || fail "the broker has another password"
: >"$folder/docker.log"
rotate store:gateway
grep -q "$(sed -n 's/^AWS_SECRET_ACCESS_KEY=//p' "$secrets/gateway.env")" "$secrets/store-users.json" || fail "the store has another password"
if rotate database:nobody 2>/dev/null; then fail "a password that there is not was replaced"; fi

say "the check of a copy of the files names what it lacks, and fails without an answer"
admin() { as_server env PGPASSWORD="$(cat "$folder/run/postgres-password")" psql -qX -v ON_ERROR_STOP=1 -U postgres -d "$1" -c "$2"; }
admin wallet "CREATE TABLE transactions (receipt_key text); INSERT INTO transactions VALUES ('receipts/a'), (NULL);
  CREATE TABLE proposals (change jsonb); INSERT INTO proposals VALUES ('{}')"
admin auth "CREATE TABLE users (image_key text); INSERT INTO users VALUES ('photos/b'), ('')"
admin payment_method "CREATE TABLE method_versions (image_key text)"
admin course "CREATE TABLE media (id uuid, kind text, state text, attempt uuid); CREATE TABLE media_chunks (media uuid, name uuid)"
for name in wallet auth payment_method course; do
  admin "$name" "GRANT SELECT ON ALL TABLES IN SCHEMA public TO auditor"
  export "${name^^}_DATABASE_URL=postgres://auditor:$(sed -n 's/^auditor //p' "$folder/run/database-passwords")@127.0.0.1:$port/$name"
done
mkdir -p "$folder/files/receipts"
touch "$folder/files/receipts/a" "$folder/files/receipts/unreferenced"
if deploy/check-files.sh "$folder/files" >"$folder/missing" 2>/dev/null; then fail "a missing file is not noticed"; fi
[ "$(cat "$folder/missing")" = photos/b ] || fail "missing: $(cat "$folder/missing")"
install -D /dev/null "$folder/files/photos/b"
deploy/check-files.sh "$folder/files" 2>/dev/null || fail "the copy is complete"
if WALLET_DATABASE_URL=postgres://127.0.0.1:1/wallet deploy/check-files.sh "$folder/files" 2>/dev/null; then
  fail "a database that does not answer passes for one without files"
fi
if deploy/check-files.sh "$folder/nowhere" >/dev/null 2>&1; then fail "a copy that there is not is complete"; fi
say "what the operator wrote stays, new passwords work, and missing files are named"
