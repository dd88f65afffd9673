# A Docker Engine with Compose in FOLDER, and images without a registry: stand-ins for the engines, built from Debian packages
# (deploy/compose/stand-ins), and those of the product. Sourced by tests in the root of the repository, which set `folder`; on
# Debian 12 or newer, as root.
# shellcheck shell=bash
# shellcheck disable=SC2154 # services.sh sets the lists of processes

: "${folder:?}"
mkdir -p "$folder"
export PATH=$folder/engine/usr/bin:$folder/engine/usr/sbin:$PATH DOCKER_BUILDKIT=1 DOCKER_HOST="unix://$folder/docker.sock"
export DOCKER_CONFIG=$folder/client IMAGE_PREFIX=solvane
[ -z "${BINARIES:-}" ] || BINARIES=$(realpath "$BINARIES")
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
engine=""

say() { echo "== $(date -u +%T) $*"; }
fail() { echo "$*" >&2; exit 1; }

install_engine() {
  [ "$(id -u)" = 0 ] || fail "run this as root: it starts a Docker Engine"
  local packages=() program
  for program in debootstrap runc iptables; do command -v "$program" >/dev/null || packages+=("$program"); done
  if [ ${#packages[@]} -gt 0 ]; then
    say "installing ${packages[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${packages[@]}"
  fi
  unpack_engine
}

# The Engine and Compose of Debian 13, which are as new as the guide demands, without their services. Debian 12 can run them
# with a runc of its own.
unpack_engine() {
  [ ! -x "$folder/engine/usr/sbin/dockerd" ] || return 0
  say "the engine of Debian 13"
  local apt=$folder/apt mirror package
  mkdir -p "$apt"/{lists/partial,cache/archives/partial} "$folder/engine"
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$')
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/sources.list"
  local options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists"
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  (cd "$apt" && apt-get "${options[@]}" download docker.io docker-cli docker-buildx docker-compose containerd)
  for package in "$apt"/*.deb; do dpkg-deb --extract "$package" "$folder/engine"; done
  mkdir -p "$DOCKER_CONFIG/cli-plugins"
  ln -sf "$folder"/engine/usr/libexec/docker/cli-plugins/* "$DOCKER_CONFIG/cli-plugins/"
  docker compose version
}

start_engine() {
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

has_image() { docker image inspect "$1" >/dev/null 2>&1; }

import() { docker import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$1" >/dev/null; }

# build_stand_ins NAME…: the stages of the stand-ins that a test needs, and what the product is built of: a Debian root, and the
# toolchain of this machine or what it has built.
build_stand_ins() {
  if ! has_image solvane-stand-in/debian:13; then
    say "stand-in: debian"
    rm -rf "$folder/root"
    # With the PostgreSQL 17 and RabbitMQ 4 of production.
    debootstrap --variant=minbase trixie "$folder/root" >"$folder/debootstrap.log"
    tar -C "$folder/root" -c . | import solvane-stand-in/debian:13
    rm -rf "$folder/root"
  fi
  local context=$folder/stand-ins name names=("$@")
  mkdir -p "$context"
  cp deploy/compose/stand-ins/* /etc/ssl/certs/ca-certificates.crt "$context/"
  if [ -n "${BINARIES:-}" ]; then
    import_built
  else
    has_image solvane-stand-in/rust-toolchain ||
      tar -C "$(rustc --print sysroot)" --exclude=./share -c . | import solvane-stand-in/rust-toolchain
    has_image solvane-stand-in/node-host || import_node
    names+=(rust node)
  fi
  for name in "${names[@]}"; do
    say "stand-in: $name"
    docker build --quiet --network host --target "$name" --tag "solvane-stand-in/$name" "$context"
  done
}

# The Node.js of this machine, with an npm that needs no other packages.
import_node() {
  local root=$folder/node
  rm -rf "$root"
  mkdir -p "$root/usr/bin"
  npm install --silent --global --prefix "$root/usr" npm@11
  cp "$(realpath "$(command -v node)")" "$root/usr/bin/node"
  tar -C "$root" -c . | import solvane-stand-in/node-host
  rm -rf "$root"
}

# What this machine has built, in the place of two stages of the Dockerfile.
import_built() {
  say "what is built in $BINARIES and web/dist"
  local root=$folder/built name
  rm -rf "$root"
  mkdir -p "$root"/out/{spool,work,sandbox} "$root/etc/ssl/certs" "$root/src/web"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  for name in "${processes[@]}" audit; do
    strip -o "$root/out/$name" "$BINARIES/$name"
    chmod 0555 "$root/out/$name"
  done
  cp -r web/dist "$root/src/web/"
  tar -C "$root" -c . | import solvane-stand-in/built
  rm -rf "$root"
}

# stage NAME: the stage of the Dockerfile that makes this image.
stage() { case $1 in gateway | course-worker | audit) echo "$1" ;; *) echo service ;; esac; }

# build_product VERSION
build_product() {
  local version=$1 target more=()
  [ -z "${BINARIES:-}" ] || more=(--build-arg BINARIES=solvane-stand-in/built --build-arg WEB=solvane-stand-in/built)
  for target in "${services[@]}" course-worker gateway audit; do
    say "image: $target:$version"
    docker build --progress plain --network host --file deploy/docker/Dockerfile --build-arg PROFILE=local --target "$(stage "$target")" \
      --build-arg SERVICE="$target" "${more[@]}" \
      --build-arg RUST_IMAGE=solvane-stand-in/rust --build-arg NODE_IMAGE=solvane-stand-in/node \
      --build-arg RUNTIME_IMAGE=solvane-stand-in/debian:13 --build-arg VERSION="$version" --build-arg REVISION="$revision" \
      --tag "$IMAGE_PREFIX/$target:$version" . >"$folder/build-$target.log" 2>&1 ||
      { tail -n 40 "$folder/build-$target.log" >&2; return 1; }
  done
  # Those of earlier runs have lost their names.
  docker image prune --force >/dev/null
}
