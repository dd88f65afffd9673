#!/usr/bin/env bash
# Sets up and starts the product by the README in bare roots of Debian 12 and 13, which have nothing but make, git and a
# network, and asks for a page and the API. On Debian, as root; installs debootstrap if it is missing.
#
#   deploy/test-fresh.sh [FOLDER]      default: /var/lib/solvane-fresh-test
#
# The Rust toolchain and the caches of crates and npm packages are those of this machine, and the second root goes on with
# the build of the first, so that it takes one build. Node.js and the packages of Debian are installed in each.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-/var/lib/solvane-fresh-test}
port=${STACK_PORT:-18090}
suites=(bookworm trixie)

[ "$(id -u)" = 0 ] || { echo "run this as root: it makes roots of Debian" >&2; exit 1; }
command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -qq -y debootstrap >/dev/null; }
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$')
mkdir -p "$folder/target" "$HOME/.npm"

# make_root SUITE: a bare root with this repository and what this machine needs to reach its network.
make_root() {
  local suite=$1 root=$folder/$1
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" "$mirror" >"$folder/$suite.debootstrap.log"
  git clone -q --no-hardlinks "file://$PWD" "$root/solvane"
  cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  if [ -f "$HOME/.npmrc" ]; then cp "$HOME/.npmrc" "$root/root/.npmrc"; fi
  mkdir -p "$root/solvane/target" "$root"/root/{.rustup,.cargo,.npm}
  # Each root installs its own.
  rm -rf "$folder"/target/node "$folder"/target/nodes
}

# start SUITE: the first command of the README, in namespaces of its own, which end with it.
start() {
  local root=$folder/$1
  # shellcheck disable=SC2016
  unshare --mount --propagation private --pid --fork --kill-child bash -euc '
    root=$1 folder=$2 home=$3 port=$4
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount --bind "$folder/target" "$root/solvane/target"
    for cache in .rustup .cargo .npm; do mount --bind "$home/$cache" "$root/root/$cache"; done
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin STACK_PORT="$port" \
      CARGO_PROFILE_DEV_DEBUG=0 bash -euc "$5"
  ' start "$root" "$folder" "$HOME" "$port" "$in_root"
}

# Runs in the root. The product ends by the signal that Ctrl-C sends.
# shellcheck disable=SC2016
in_root='
  cd /solvane
  : >/tmp/run.log
  make run >>/tmp/run.log 2>&1 &
  run=$!
  for ((second = 0; second < 3600; second++)); do
    if grep -q "^stack  *ready " /tmp/run.log; then break; fi
    kill -0 $run 2>/dev/null || { tail -n 40 /tmp/run.log; echo "make run ended"; exit 1; }
    sleep 1
  done
  tail -n 40 /tmp/run.log
  echo "ready after $second s with Node.js $(target/node/node_modules/.bin/node --version)"
  curl -fsS "http://127.0.0.1:$STACK_PORT/" | grep -o "<title>.*</title>"
  curl -fsS "http://127.0.0.1:$STACK_PORT/v1/plans" | head -c 200
  echo
  kill -INT $(pgrep -x stack)
  wait $run
'

for suite in "${suites[@]}"; do
  echo "== $suite"
  make_root "$suite"
  start "$suite"
  rm -rf --one-file-system "${folder:?}/$suite"
done
echo "passed: ${suites[*]}"
