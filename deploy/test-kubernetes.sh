#!/usr/bin/env bash
# [D-H7] Plays every workload of the local overlay with Podman, as it is rendered: servers, then migrations, then the processes,
# each with its image, arguments, environment, volumes, user and limits, until all are ready. Then the first journey, and
# the audit. What only a cluster has is not played: network policies, disruption budgets, autoscalers, service accounts.
# On Debian 12 or newer, as root; without an image registry (deploy/compose/engine.sh), which FOLDER keeps for the next run.
#
#   deploy/test-kubernetes.sh [FOLDER]      default: /var/lib/solvane-compose-test, as that of the compose file
#
# BINARIES=target/debug takes what this machine has built, and web/dist, instead of compiling.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/services.sh

folder=${1:-/var/lib/solvane-compose-test}
. deploy/compose/engine.sh
pods=$folder/pods version=1.0.0
# Podman's images and containers, apart from those of the machine; the settings of the engine's client are none of its own.
podman() { env -u DOCKER_CONFIG CONTAINERS_CONF="$folder/containers.conf" podman --root "$folder/podman" --runroot "$folder/podman-run" --runtime runc --cgroup-manager cgroupfs --log-level error "$@"; }

finish() {
  local status=$?
  trap - EXIT
  if [ "$status" -ne 0 ]; then
    podman ps --all >&2 || true
    for name in $(podman ps --all --format '{{.Names}}' | grep -v -- -infra); do
      echo "-- $name" >&2
      podman logs --tail 8 "$name" 2>&1 | cut -c 1-300 >&2 || true
    done
  fi
  clear_up || true
  if [ -n "$engine" ] && kill "$engine" 2>/dev/null; then wait "$engine" || true; fi
  exit "$status"
}

clear_up() {
  podman rm --all --force --time 5 >/dev/null 2>&1 || true
  podman pod rm --all --force --time 5 >/dev/null
  podman network rm --force solvane >/dev/null
  rm -rf "$pods"
}

install_podman() {
  local install=(apt-get install -qq -y --no-install-recommends podman netavark runc catatonit)
  say "installing podman, if it is missing"
  DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null 2>&1 && return
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null
}

# Its own would be journald, and more files than a machine may permit.
write_settings() {
  cat >"$folder/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=8192:8192"]
log_driver = "k8s-file"
[engine]
events_logger = "file"
CONF
}

# load_images: those of the overlay, by the names that it has for them.
load_images() {
  local image from
  for image in $(sed -n 's/^[ -]*image: //p' "$pods"/*.yaml | sort -u); do
    case $image in
      postgres:*) from=solvane-stand-in/postgres ;;
      rabbitmq:*) from=solvane-stand-in/rabbitmq ;;
      */seaweedfs:*) from=solvane-stand-in/store ;;
      */mailpit:*) from=solvane-stand-in/mail ;;
      *) from=$image ;;
    esac
    docker tag "$from" "localhost/$image"
    docker save "localhost/$image" | podman load --quiet >/dev/null
  done
}

address_of() { cat "$pods/$1.address"; }

# probe NAME ENDING: what pods.py wrote of the probe of a pod.
probe() {
  local lines how where path
  mapfile -t lines <"$pods/$1.$2"
  read -r how where path <<<"${lines[0]}"
  case $how in
    http) curl --silent --fail --max-time 3 --output /dev/null "http://$(address_of "$1"):$where$path" ;;
    tcp) timeout 3 bash -c '</dev/tcp/$0/$1' "$(address_of "$1")" "$where" ;;
    exec) podman exec "$1-$where" "${lines[@]:1}" ;;
  esac
}

play() { podman kube play --quiet --network solvane --ip "$(address_of "$2")" "$1" >/dev/null; }

# wait_until NAME COMMAND…: for at most two minutes.
wait_until() {
  local name=$1 end=$((SECONDS + 120))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "$name is not ready: $*"
    read -r -t 0.5 <> <(:) || true
  done
}

is_done() { [ "$(podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' "$1-migrate")" = "exited 0" ]; }

# each PHASE COMMAND…: for the pods of a phase.
each() {
  local phase=$1 file name
  shift
  for file in "$pods/$phase"-*.yaml; do
    name=$(basename "$file" .yaml)
    "$@" "$file" "${name#*-}"
  done
}

is_restarted() { [ "$(podman inspect --format '{{.RestartCount}}' "$1")" -ge 1 ]; }

await() { wait_until "$2" probe "$2" ready; }
await_end() { wait_until "$2" is_done "$2"; }

install_engine
install_podman
write_settings
trap finish EXIT
start_engine
build_stand_ins postgres rabbitmq store mail
build_product "$version"
clear_up || true
say "the overlay, rendered"
deploy/check-kubernetes.sh "$folder/check-kubernetes"
mkdir -p "$pods"
"$folder/check-kubernetes/venv/bin/python" deploy/kubernetes/pods.py "$folder/check-kubernetes/local.yaml" "$pods"
say "images for podman"
load_images
podman network create --disable-dns --subnet 10.213.77.0/24 solvane >/dev/null

say "servers"
each 1 play
each 1 await
probe store after
say "migrations"
each 2 play
each 2 await_end
say "processes"
each 3 play
each 3 await
podman ps --format '{{.Names}} {{.Image}} {{.Status}}' | grep -v -- -infra

say "KUBERNETES.md: the first staff accounts, and the first journey"
password=$(openssl rand -hex 12)
podman exec auth-service /usr/local/bin/service staff bootstrap \
  --admin "First Name <first@example.com>" --admin "Second Name <second@example.com>"
for who in reviewer treasurer treasurer2; do
  printf '%s' "$password" | podman exec --interactive auth-service /usr/local/bin/service staff add --email "$who@solvane.test" \
    --name "$who" --role "${who%2}" --password-stdin
done
ORIGIN=http://$(address_of gateway):8080 MAILS=http://$(address_of mail):8025 PASSWORD=$password REVIEWER=reviewer@solvane.test \
  TREASURER=treasurer@solvane.test TREASURER2=treasurer2@solvane.test deploy/compose/journey.sh

say "a process that is killed comes back"
kill -KILL "$(podman inspect --format '{{.State.Pid}}' wallet-service)"
wait_until wallet is_restarted wallet-service
await - wallet
say "every workload of the overlay works"
