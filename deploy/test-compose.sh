#!/usr/bin/env bash
# Builds the images and tests docker-compose.yml: up, the first journey, the audit, a restart that keeps the data, down.
# Needs no image registry: images from a registry are replaced by stand-ins built from Debian packages
# (deploy/compose/stand-ins). On Debian, as root; installs Docker Engine and debootstrap if missing.
# Keeps the build in FOLDER for the next run.
#
#   deploy/test-compose.sh [FOLDER]      default: /var/lib/solvane-compose-test
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/services.sh

folder=${1:-/var/lib/solvane-compose-test}
port=${GATEWAY_PORT:-18080}
# Debian's client can build with BuildKit without a plugin.
export PATH=/usr/bin:$PATH DOCKER_BUILDKIT=1 DOCKER_HOST="unix://$folder/docker.sock"
export COMPOSE_PROJECT_NAME=solvane-test VERSION=test IMAGE_PREFIX=solvane
export POSTGRES_IMAGE=solvane-stand-in/postgres RABBITMQ_IMAGE=solvane-stand-in/rabbitmq
export STORE_IMAGE=solvane-stand-in/store MAIL_IMAGE=solvane-stand-in/mail
# Never answers here, but to ask over https takes the public authorities, which an image has to have.
export RATE_SOURCES=kraken=https://rates.invalid,coinbase=https://rates.invalid
# Test staff have no second factor and can decide at once; everything else is as in production.
export GATEWAY_ADDR=127.0.0.1:$port PUBLIC_URL=http://127.0.0.1:$port STAFF_TOTP=off NEW_STAFF_WAIT_SECONDS=0
engine=""

say() { echo "== $*"; }

has_compose() { docker compose version >/dev/null 2>&1; }
# The product needs compose 2. Debian 12 has only version 1, which does not know the name of a project.
compose() {
  if has_compose; then docker compose "$@"; return; fi
  docker-compose --project-directory . --file <(sed '/^name:/d' docker-compose.yml) "$@"
}

install() {
  [ "$(id -u)" = 0 ] || { echo "run this as root: it starts a Docker Engine" >&2; exit 1; }
  local packages=()
  # The client as well, because another one earlier in PATH may not be able to build.
  [ -x /usr/sbin/dockerd ] && [ -x /usr/bin/docker ] || packages+=(docker.io)
  command -v debootstrap >/dev/null || packages+=(debootstrap)
  install_packages "${packages[@]}"
  has_compose || command -v docker-compose >/dev/null || install_packages docker-compose
}

install_packages() {
  [ $# -gt 0 ] || return 0
  say "installing $*"
  apt-get update -qq
  # The package would start its own engine.
  local policy=/usr/sbin/policy-rc.d ours=false status=0
  if [ ! -e "$policy" ]; then ours=true; printf '#!/bin/sh\nexit 101\n' >"$policy"; chmod 755 "$policy"; fi
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" iptables || status=$?
  if $ours; then rm -f "$policy"; fi
  # The shell caches the paths of the previous clients.
  hash -r
  return "$status"
}

start_engine() {
  mkdir -p "$folder"
  dockerd --host "$DOCKER_HOST" --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
    >"$folder/engine.log" 2>&1 &
  engine=$!
  local end=$((SECONDS + 60))
  until docker info >/dev/null 2>&1; do
    if [ "$SECONDS" -gt "$end" ] || ! kill -0 "$engine" 2>/dev/null; then
      tail -n 20 "$folder/engine.log" >&2
      exit 1
    fi
    read -r -t 0.3 <> <(:) || true
  done
}

finish() {
  local status=$?
  trap - EXIT
  if [ "$status" -ne 0 ]; then
    compose ps >&2 || true
    compose logs --tail 20 >&2 || true
  fi
  if [ -n "$engine" ]; then
    compose down --volumes --timeout 15 >"$folder/down.log" 2>&1 || true
    if kill "$engine" 2>/dev/null; then wait "$engine" || true; fi
  fi
  exit "$status"
}

has_image() { docker image inspect "$1" >/dev/null 2>&1; }

import() { docker import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$1" >/dev/null; }

# A Debian root file system, the Rust toolchain and Node.js of this machine, and the images built from them.
build_stand_ins() {
  if ! has_image solvane-stand-in/debian:13; then
    say "stand-in: debian"
    rm -rf "$folder/root"
    # With the PostgreSQL 17 and RabbitMQ 4 of production.
    debootstrap --variant=minbase trixie "$folder/root" >"$folder/debootstrap.log"
    tar -C "$folder/root" -c . | import solvane-stand-in/debian:13
    rm -rf "$folder/root"
  fi
  has_image solvane-stand-in/rust-toolchain ||
    tar -C "$(rustc --print sysroot)" --exclude=./share -c . | import solvane-stand-in/rust-toolchain
  has_image solvane-stand-in/node-host ||
    tar -C / -c "$(realpath --relative-to=/ "$(command -v node)")" usr/lib/node_modules/npm usr/bin/npm |
    import solvane-stand-in/node-host
  local context=$folder/stand-ins name
  mkdir -p "$context"
  cp deploy/compose/stand-ins/* /etc/ssl/certs/ca-certificates.crt "$context/"
  for name in rust node postgres rabbitmq store mail; do
    say "stand-in: $name"
    docker build --quiet --network host --target "$name" --tag "solvane-stand-in/$name" "$context"
  done
}

# stage NAME: the stage of the Dockerfile that makes this image.
stage() { case $1 in gateway | course-worker | audit) echo "$1" ;; *) echo service ;; esac; }

build_product() {
  local target
  for target in "${services[@]}" course-worker gateway audit; do
    say "image: $target"
    docker build --progress plain --network host --file deploy/docker/Dockerfile --build-arg PROFILE=local --target "$(stage "$target")" \
      --build-arg SERVICE="$target" \
      --build-arg RUST_IMAGE=solvane-stand-in/rust --build-arg NODE_IMAGE=solvane-stand-in/node \
      --build-arg RUNTIME_IMAGE=solvane-stand-in/debian:13 --build-arg VERSION="$VERSION" \
      --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
      --tag "$IMAGE_PREFIX/$target:$VERSION" . >"$folder/build-$target.log" 2>&1 ||
      { tail -n 40 "$folder/build-$target.log" >&2; return 1; }
  done
  docker images --format '{{.Repository}} {{.Size}}' | grep "^$IMAGE_PREFIX/" | sort
}

wait_until_healthy() {
  local end=$((SECONDS + 180)) state
  while [ "$SECONDS" -lt "$end" ]; do
    state=$(docker inspect --format '{{.State.Health.Status}}' "$(compose ps -q gateway)" 2>/dev/null || true)
    [ "$state" != healthy ] || return 0
    read -r -t 0.5 <> <(:) || true
  done
  echo "the gateway did not become healthy in time" >&2
  return 1
}

add_staff() {
  printf '%s' "$password" | compose exec -T auth /usr/local/bin/service staff add --email "$1@solvane.test" \
    --name "$1" --role "$2" --password-stdin
}

journey() {
  local mail
  mail=$(docker inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$(compose ps -q mail)")
  ORIGIN=http://127.0.0.1:$port MAILS=http://$mail:8025 PASSWORD=$password REVIEWER=reviewer@solvane.test \
    TREASURER=treasurer@solvane.test TREASURER2=treasurer2@solvane.test deploy/compose/journey.sh
}

# Only the gateway may be reachable from outside, and no process of the product may run as root or write to its image.
inspect() {
  local published writable name
  published=$(docker ps --filter label=com.docker.compose.project="$COMPOSE_PROJECT_NAME" --format '{{.Names}} {{.Ports}}' |
    grep -e '->' | grep -v gateway || true)
  [ -z "$published" ] || { echo "published: $published" >&2; return 1; }
  for name in "${processes[@]}"; do
    writable=$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.HostConfig.CapDrop}}' \
      "$(compose ps -q "$name")")
    [ "$writable" = "true 10001:10001 [ALL]" ] || { echo "$name: $writable" >&2; return 1; }
  done
  # There is no shell for an intruder.
  for name in "${processes[@]}" audit; do
    ! docker run --rm --network none --entrypoint /bin/sh "$IMAGE_PREFIX/$name:$VERSION" -c true 2>/dev/null ||
      { echo "$name: has a shell" >&2; return 1; }
  done
  # What reads the files of strangers has nothing to reach and nothing to tell.
  writable=$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.HostConfig.NetworkMode}}' \
    "$(compose ps -q course-sandbox)")
  [ "$writable" = "true 10002:10001 none" ] || { echo "course-sandbox: $writable" >&2; return 1; }
}

install
trap finish EXIT
start_engine
build_stand_ins
build_product
deploy/secrets.sh
compose config >/dev/null
password=$(openssl rand -hex 12)

say "up"
# Remove leftovers of a killed run.
compose down --volumes --timeout 15 >"$folder/down.log" 2>&1
compose up -d --no-build
wait_until_healthy
inspect
for who in reviewer treasurer treasurer2; do add_staff "$who" "${who%2}"; done
say "journey"
journey
say "audit"
compose run --rm audit | tail -n 1
compose run --rm audit reconcile
say "all processes again, on the same data"
compose restart --timeout 15 "${processes[@]}"
wait_until_healthy
curl --silent --show-error --fail --output /dev/null --write-out 'plans: %{http_code}\n' "http://127.0.0.1:$port/v1/plans"
compose run --rm audit | tail -n 1
say "the compose file works"
