#!/usr/bin/env bash
# Installs the nodes of the local stack and the tests into a private folder (by default target/nodes): anvil from npm, and
# bitcoind from Debian's packages, without installing a package. Fast if both are there. A node that cannot be installed is
# named in one line and left out; everything else works without it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

folder=${1:-${CARGO_TARGET_DIR:-target}/nodes}
mkdir -p "$folder" || exit
folder=$(cd "$folder" && pwd)

# Newer than the libraries of Debian 12, so that it brings its own and the loader that finds them.
suite=trixie
packages=("bitcoin-knots/$suite-backports" libc6 libgcc-s1 libstdc++6 libevent-core-2.1-7t64 libevent-extra-2.1-7t64
  libevent-pthreads-2.1-7t64 libsqlite3-0 libzmq5 libbsd0 libmd0 libsodium23 libpgm-5.3-0t64 libnorm1t64 libgssapi-krb5-2
  libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1)

anvil() {
  cp deploy/stack/nodes/package.json deploy/stack/nodes/package-lock.json "$folder/" &&
    npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error --fetch-timeout=30000 --fetch-retries=1 &&
    ln -sf node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil "$folder/anvil" &&
    "$folder/anvil" --version
}

# The mirror that this machine uses, with the keyring of the system.
bitcoind() {
  local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg apt=$folder/apt
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$') || return
  [ -r "$keyring" ] || return
  rm -rf "$apt" "$folder/bitcoin.new"
  mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial || return
  printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite" "$keyring" "$mirror" "$suite-backports" >"$apt/sources.list"
  local options=(-qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State=$apt/state" -o Dir::State::status=/dev/null -o "Dir::Cache=$apt/cache" -o Acquire::Languages=none
    -o APT::Sandbox::User= -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o Acquire::Retries=1
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
  apt-get "${options[@]}" update || return
  (cd "$apt/cache/archives" && apt-get "${options[@]}" download "${packages[@]}") || return
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/bitcoin.new" || return; done
  rm -rf "$apt" "$folder/bitcoin"
  mv "$folder/bitcoin.new" "$folder/bitcoin"
  cat >"$folder/bitcoind" <<'SCRIPT' && chmod 755 "$folder/bitcoind" && "$folder/bitcoind" -version
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/bitcoin
libraries=$(find "$root/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*')
loader=$(find "$root/usr/lib" "$root/usr/lib64" -name 'ld-linux-*.so.*' 2>/dev/null | head -n 1)
exec "$loader" --library-path "$libraries" "$root/usr/bin/bitcoind" "$@"
SCRIPT
}

for node in anvil bitcoind; do
  [ -x "$folder/$node" ] && continue
  echo "installing $node into $folder" >&2
  $node >"$folder/$node.log" 2>&1 || {
    rm -f "${folder:?}/$node"
    echo "$node cannot be installed here (see $folder/$node.log): payments on its chains are not detected" >&2
  }
done
exit 0
