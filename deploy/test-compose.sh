#!/usr/bin/env bash
# [D-H7] [D-H9] Builds the images and does with docker-compose.yml what the guides tell an operator to do: install, first staff,
# a test mail, the first journey, the audit, a new password, backups and a copy off the machine; then the machine is lost with
# all volumes and comes back from the copy; then an upgrade, and a rollback on the newer schema.
# On Debian, as root; without an image registry (deploy/compose/engine.sh). Keeps the build in FOLDER for the next run.
#
#   deploy/test-compose.sh [FOLDER]      default: /var/lib/solvane-compose-test
#
# Compiling takes most of the time. BINARIES=target/debug takes what this machine has built, and web/dist, instead.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/services.sh

folder=${1:-/var/lib/solvane-compose-test}
port=${GATEWAY_PORT:-18080}
. deploy/compose/engine.sh
# Every other setting is in .env, as the guide has it.
export COMPOSE_PROJECT_NAME=solvane-test COMPOSE_ANSI=never

finish() {
  local status=$?
  trap - EXIT
  if [ "$status" -ne 0 ]; then
    docker compose ps --all >&2 || true
    docker compose logs --tail 20 >&2 || true
  fi
  if [ -n "$engine" ]; then
    docker rm --force solvane-away >/dev/null 2>&1 || true
    docker compose down --volumes --timeout 15 >"$folder/down.log" 2>&1 || true
    if kill "$engine" 2>/dev/null; then wait "$engine" || true; fi
  fi
  exit "$status"
}

wait_until_healthy() {
  local end=$((SECONDS + 240)) state
  while [ "$SECONDS" -lt "$end" ]; do
    state=$(docker inspect --format '{{.State.Health.Status}}' "$(docker compose ps -q gateway)" 2>/dev/null || true)
    [ "$state" != healthy ] || return 0
    read -r -t 0.5 <> <(:) || true
  done
  fail "the gateway did not become healthy in time"
}

add_staff() {
  printf '%s' "$password" | docker compose exec -T auth /usr/local/bin/service staff add --email "$1@solvane.test" \
    --name "$1" --role "$2" --password-stdin
}

# The address of a container of this installation, as the guide finds it.
address_of() { docker inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$(docker compose ps -q "$1")"; }

# is_mailed ADDRESS TEXT: within half a minute.
is_mailed() {
  local end=$((SECONDS + 30))
  until curl --silent --fail "http://$(address_of mail):8025/view/latest.txt?query=to:$1" | grep -F -e "$2"; do
    [ "$SECONDS" -lt "$end" ] || fail "no mail to $1"
    read -r -t 0.5 <> <(:) || true
  done
}

# The first time a member comes; then the member finds everything there, and deposits again.
journey() {
  say "journey"
  ORIGIN=$origin MAILS=http://$(address_of mail):8025 PASSWORD=$password REVIEWER=reviewer@solvane.test MEMBER=$folder/member \
    TREASURER=treasurer@solvane.test TREASURER2=treasurer2@solvane.test deploy/compose/journey.sh
}

# Events of a moment ago may be on their way.
audit() {
  say "audit"
  local end=$((SECONDS + 90))
  until docker compose run --rm -T audit >"$folder/audit.log" && docker compose run --rm -T audit reconcile >"$folder/reconcile.log"; do
    [ "$SECONDS" -lt "$end" ] || { grep -A 20 BROKEN "$folder/audit.log" >&2; cat "$folder/reconcile.log" >&2; exit 1; }
    read -r -t 2 <> <(:) || true
  done
  tail -n 1 "$folder/audit.log"
  cat "$folder/reconcile.log"
}

# ask DATABASE STATEMENT
ask() {
  # shellcheck disable=SC2016 # the container expands it
  docker compose exec -T postgres bash -c 'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") psql -qXAt -v ON_ERROR_STOP=1 -U postgres -d "$0"' \
    "$1" <<<"$2"
}

# All of the log so far is in the archive.
archived() {
  local last end=$((SECONDS + 60))
  last=$(ask postgres "SELECT pg_walfile_name(pg_switch_wal())")
  until docker compose exec -T --user postgres postgres test -e "/backups/wal/$last.gz"; do
    [ "$SECONDS" -lt "$end" ] || fail "the log is not archived"
    read -r -t 0.5 <> <(:) || true
  done
}

# set_to NAME VALUE: a line of .env.
set_to() {
  sed -i "/^$1=/d" .env
  echo "$1=$2" >>.env
}

# runs_version VERSION: every process of the product is of this version.
runs_version() {
  local name image
  for name in "${processes[@]}" course-worker course-sandbox; do
    image=$(docker inspect --format '{{.Config.Image}}' "$(docker compose ps -q "$name")")
    [[ "$image" = *":$1" ]] || fail "$name runs $image"
  done
}

# Only the gateway may be reachable from outside, and no process of the product may run as root or write to its image.
inspect() {
  local published writable name
  published=$(docker ps --filter label=com.docker.compose.project="$COMPOSE_PROJECT_NAME" --format '{{.Names}} {{.Ports}}' |
    grep -e '->' | grep -v gateway || true)
  [ -z "$published" ] || fail "published: $published"
  for name in "${processes[@]}"; do
    writable=$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.HostConfig.CapDrop}}' \
      "$(docker compose ps -q "$name")")
    [ "$writable" = "true 10001:10001 [ALL]" ] || fail "$name: $writable"
  done
  # There is no shell for an intruder.
  for name in "${processes[@]}" audit; do
    ! docker run --rm --network none --entrypoint /bin/sh "$IMAGE_PREFIX/$name:$first" -c true 2>/dev/null || fail "$name: has a shell"
  done
  # What reads the files of strangers has nothing to reach and nothing to tell.
  writable=$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.HostConfig.NetworkMode}}' \
    "$(docker compose ps -q course-sandbox)")
  [ "$writable" = "true 10002:10001 none" ] || fail "course-sandbox: $writable"
}

# An installation of its own: this machine may have another one. Its folder has what is tracked, as a clone has.
new_installation() {
  local installation=$folder/solvane
  rm -rf "$installation" "$folder/member"
  mkdir -p "$installation"
  git ls-files -z | tar --null --files-from - -c | tar -C "$installation" -x
  cd "$installation"
  cat >.env <<ENV
GATEWAY_ADDR=127.0.0.1:$port
PUBLIC_URL=$origin
STAFF_TOTP=off
NEW_STAFF_WAIT_SECONDS=0
VERSION=$first
POSTGRES_IMAGE=solvane-stand-in/postgres
RABBITMQ_IMAGE=solvane-stand-in/rabbitmq
STORE_IMAGE=solvane-stand-in/store
MAIL_IMAGE=solvane-stand-in/mail
RCLONE_IMAGE=solvane-stand-in/rclone
CADDY_IMAGE=solvane-stand-in/caddy
RATE_SOURCES=kraken=https://rates.invalid,coinbase=https://rates.invalid
ENV
}

# A place outside: on the network of the machine, not in one of the product.
start_away() {
  local host
  host=$(docker network inspect --format '{{(index .IPAM.Config 0).Gateway}}' bridge)
  docker rm --force solvane-away >/dev/null 2>&1 || true
  docker run --detach --name solvane-away --network host solvane-stand-in/rclone serve sftp /srv --addr "$host:2022" \
    --user away --pass "$password" >/dev/null
  cat >>deploy/compose/secrets/copy.env <<ENV
COPY_TO=solvane
RCLONE_CONFIG_AWAY_TYPE=sftp
RCLONE_CONFIG_AWAY_HOST=$host
RCLONE_CONFIG_AWAY_PORT=2022
RCLONE_CONFIG_AWAY_USER=away
RCLONE_CONFIG_AWAY_PASS=$(docker run --rm solvane-stand-in/rclone obscure "$password" 2>/dev/null)
ENV
}

# What browsers would have to trust for https://localhost.
trust_caddy() {
  local end=$((SECONDS + 60))
  export CURL_CA_BUNDLE=$folder/authority.crt
  until docker compose exec -T caddy cat /data/caddy/pki/authorities/local/root.crt >"$CURL_CA_BUNDLE" 2>/dev/null &&
    curl --silent --fail --output /dev/null "$origin/v1/plans"; do
    [ "$SECONDS" -lt "$end" ] || fail "Caddy does not serve $origin"
    read -r -t 0.5 <> <(:) || true
  done
}

# The doctor finds right what is there, and wrong what an installation on localhost cannot have.
diagnose() {
  local what
  deploy/doctor.sh ops@example.com >"$folder/doctor.log" && fail "the doctor is content with localhost"
  cat "$folder/doctor.log"
  for what in 'compose is 2.24' 'secrets are there' 'last for a month' 'PUBLIC_URL is https' 'name in PUBLIC_URL leads' 'processes are well' \
    'answers at PUBLIC_URL' 'takes a mail to ops@' 'copies have a place' 'task backup' 'task files' 'task copy' 'task audit' \
    'task certificates' 'task unhealthy' 'two treasurers' 'a reviewer'; do
    grep -q "^ok .*$what" "$folder/doctor.log" || fail "the doctor does not see: $what"
  done
  for what in 'names a relay' 'FROM is yours'; do
    grep -q "^WRONG .*$what" "$folder/doctor.log" || fail "the doctor does not miss: $what"
  done
}

# What the migrations of a later version leave behind.
make_newer() {
  local name
  for name in "${services[@]//-/_}"; do
    ask "$name" "CREATE TABLE of_the_next_version (id int); INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
      VALUES (9999, 'next', true, '\x00', 0)"
  done
}

# Every volume is lost, with the backups on this machine; the secrets are kept elsewhere.
lose_the_machine() {
  docker compose down --volumes --timeout 15 >"$folder/down.log" 2>&1
  docker volume ls --quiet --filter label=com.docker.compose.project="$COMPOSE_PROJECT_NAME" | xargs --no-run-if-empty docker volume rm >/dev/null
}

# BACKUP.md: Off the machine, Restore, After a restore.
restore() {
  docker compose run --rm -T copy back
  docker compose run --rm -T --no-deps --user root --entrypoint chown postgres postgres: /var/lib/postgresql/data
  docker compose run --rm -T --no-deps --user postgres --entrypoint /deploy/restore.sh postgres /backups /var/lib/postgresql/data
  docker compose up --detach --wait postgres
  docker compose run --rm -T files-restore
  docker compose run --rm -T files-check
  docker compose exec -T --user postgres postgres /deploy/replay.sh '1 hour ago'
  docker compose up --detach
  wait_until_healthy
  trust_caddy
}

first=1.0.0-test next=1.0.1-test
origin=http://127.0.0.1:$port
password=$(openssl rand -hex 12)
install_engine
trap finish EXIT
start_engine
build_stand_ins postgres rabbitmq store mail rclone caddy
build_product "$first"
# As `make images` of the version after would: here it has the same sources.
build_product "$next"
new_installation
deploy/secrets.sh
# Leftovers of a killed run.
docker rm --force solvane-away >/dev/null 2>&1 || true
lose_the_machine
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' | grep "^$IMAGE_PREFIX/.*:$first" | sort

say "COMPOSE.md: install"
docker compose config --quiet
docker compose up --detach
wait_until_healthy
inspect
say "COMPOSE.md: the first staff accounts, and a test mail"
docker compose exec -T auth /usr/local/bin/service staff bootstrap \
  --admin "First Name <first@example.com>" --admin "Second Name <second@example.com>"
docker compose exec -T mailer /usr/local/bin/service send-test ops@example.com
is_mailed second@example.com "$origin/"
is_mailed ops@example.com test
for who in reviewer treasurer treasurer2; do add_staff "$who" "${who%2}"; done
journey
audit

say "COMPOSE.md: TLS, with Caddy's own authority"
origin=https://localhost
set_to PUBLIC_URL "$origin"
docker compose --profile tls up --detach
set_to COMPOSE_PROFILES tls
wait_until_healthy
trust_caddy
journey

say "COMPOSE.md: the tasks of the timers, and a copy off the machine; BACKUP.md"
start_away
for task in backup files copy audit certificates unhealthy; do deploy/task.sh "$task"; done
say "KEYS.md: new passwords"
for name in database:wallet broker:gateway store:gateway; do deploy/rotate-password.sh "$name"; done
# The stand-in of the store keeps nothing when it starts again.
docker compose up --detach store-bucket
wait_until_healthy
echo AWS_MAX_ATTEMPTS=3 >>deploy/compose/secrets/own.env
docker compose up --detach gateway course-worker
say "KEYS.md: a new key of members' tokens"
deploy/rotate-key.sh add token
docker compose restart auth mailer payment-method wallet trade course cases gateway
deploy/rotate-key.sh switch token
docker compose restart auth
deploy/rotate-key.sh retire token
docker compose restart auth mailer payment-method wallet trade course cases gateway
wait_until_healthy
journey
deploy/task.sh files
archived
deploy/task.sh copy
say "the doctor"
diagnose

say "BACKUP.md: the machine is lost, and a new one has everything that was copied"
lose_the_machine
restore
journey
audit

say "COMPOSE.md: upgrade"
docker compose exec -T rabbitmq rabbitmqctl enable_feature_flag all
deploy/task.sh backup
set_to VERSION "$next"
deploy/secrets.sh
docker compose up --detach --force-recreate postgres rabbitmq
docker compose exec -T postgres bash /docker-entrypoint-initdb.d/10-databases.sh
docker compose exec -T postgres bash /docker-entrypoint-initdb.d/20-auditor.sh
docker compose up --detach
wait_until_healthy
runs_version "$next"
journey
audit

say "COMPOSE.md: rollback, on the schema of the version after"
make_newer
set_to VERSION "$first"
docker compose up --detach --no-deps auth mailer payment-method wallet trade course cases gateway course-worker course-sandbox
wait_until_healthy
runs_version "$first"
journey
audit
say "and after a restart of everything"
docker compose up --detach
docker compose restart
wait_until_healthy
say "the compose file works"
