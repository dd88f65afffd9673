#!/usr/bin/env bash
# Installs what is missing for `run`, `demo`, `test` and `bench` (including a browser), `cluster`, `secrets`,
# `rules` or `kubernetes`. Fast if nothing is.
set -euo pipefail

purpose=${1:-run}
cd "$(dirname "$0")/.."
# shellcheck source=deploy/path.sh
. deploy/path.sh

have() { command -v "$1" >/dev/null 2>&1; }
postgres_is_there() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || have initdb; }

needs_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv); }

packages=()
case $purpose in
  secrets | kubernetes)
    have openssl || packages+=(openssl)
    # Debian packages Python without virtual environments.
    [ "$purpose" = secrets ] || needs_venv
    ;;
  rules) have promtool || packages+=(prometheus) ;;
  *)
    have cc || packages+=(build-essential)
    have pkg-config || packages+=(pkg-config)
    have curl || packages+=(curl ca-certificates)
    have openssl || packages+=(openssl)
    have setpriv || packages+=(util-linux)
    # For the videos of the course.
    have ffmpeg && have ffprobe || packages+=(ffmpeg)
    postgres_is_there || packages+=(postgresql)
    [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] || packages+=(rabbitmq-server)
    have node && have npm || packages+=(nodejs npm)
    ;;
esac
case $purpose in demo | test | cluster)
  compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || packages+=(libfaketime)
  ;;
esac
# The tests have the quick form of the cluster where there are network namespaces, which need root.
if [ "$purpose" = cluster ] || { [ "$purpose" = test ] && [ "$(id -u)" = 0 ]; }; then
  have patroni || packages+=(patroni python3-etcd)
  have etcd || packages+=(etcd-server)
  have etcdctl || packages+=(etcd-client)
  [ -x /usr/sbin/haproxy ] || packages+=(haproxy)
  have nft || packages+=(nftables)
  have ip || packages+=(iproute2)
fi
if [ "$purpose" = test ]; then
  needs_venv
  have shellcheck || packages+=(shellcheck)
  have promtool || packages+=(prometheus)
  have amtool || packages+=(prometheus-alertmanager)
  have prometheus-node-exporter || packages+=(prometheus-node-exporter)
  have prometheus-postgres-exporter || packages+=(prometheus-postgres-exporter)
  have caddy || packages+=(caddy)
  have rclone || packages+=(rclone)
  python3 -c 'import yaml' 2>/dev/null || packages+=(python3-yaml)
fi
if [ "$purpose" = test ] || [ "$purpose" = bench ]; then
  have chromium || have chromium-browser || have google-chrome || packages+=(chromium)
fi

explain() {
  cat >&2 <<TEXT
Solvane needs, beside Rust (https://rustup.rs) and Node.js 22 or newer:
  ${packages[*]:-nothing else}
They can be installed by this command on Debian and Ubuntu, as root or with sudo. Elsewhere, install them by hand
(PostgreSQL 15 or newer, RabbitMQ 3.10 or newer, ffmpeg 5 or newer), or start the product with: docker compose up
TEXT
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  have apt-get || explain
  [ "$(id -u)" = 0 ] || have sudo || explain
  echo "installing ${packages[*]}" >&2
  # Do not start the services of the packages: the product starts private ones.
  local policy=/usr/sbin/policy-rc.d ours=false
  if [ ! -e "$policy" ]; then
    ours=true
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  local status=0
  {
    as_root apt-get update -qq &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${packages[@]}" >&2
  } || status=$?
  if $ours; then as_root rm -f "$policy"; fi
  # Nor do those that only tests need start with the machine.
  local name
  for name in "${packages[@]}"; do
    case $name in prometheus* | caddy) as_root systemctl disable --quiet "$name.service" || true ;; esac
  done
  return "$status"
}

if [ ${#packages[@]} -gt 0 ]; then
  install_packages || { echo "could not install the packages" >&2; explain; }
fi

case $purpose in secrets | rules | kubernetes) exit ;; esac

if ! have cargo; then
  echo "installing Rust with rustup into $HOME/.cargo" >&2
  # rust-toolchain.toml names the version, which the first use installs.
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
    sh -s -- -y --quiet --no-modify-path --profile minimal --default-toolchain none >&2 || explain
fi

# The system's Node.js is enough to install a supported one.
node_is_supported() { node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)'; }
if ! node_is_supported; then
  echo "installing Node.js into $node_folder, because $(node --version) is out of support" >&2
  mkdir -p "$node_folder"
  cp deploy/node/package.json deploy/node/package-lock.json "$node_folder/"
  npm ci --prefix "$node_folder" --no-audit --no-fund --loglevel=error >&2 || explain
  # npm 9, of Debian 12, deletes this link with the package of the other processor, which has the same one.
  (cd "$node_folder/node_modules/.bin" && ln -sf ../node-linux-*/bin/node node)
  hash -r
  node_is_supported || { echo "$node_folder: Node.js $(node --version) is still in use" >&2; exit 1; }
fi

# Nodes of blockchains for the local stack and the tests; everything else works without them.
[ "${STACK_CHAINS:-on}" = off ] || deploy/nodes.sh
