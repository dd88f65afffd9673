#!/usr/bin/env bash
# Tests that two versions can run together: builds an older revision and runs its services with the current ones on the current schema.
#
#   deploy/test-upgrade.sh [REVISION]      default: the newest tag before this commit, or the previous commit
set -euo pipefail
cd "$(dirname "$0")/.."

# Checked SQL comes from the .sqlx folders; the testbed's DATABASE_URL must not affect the build.
export SQLX_OFFLINE=true
revision=${1:-$(git describe --tags --abbrev=0 HEAD~1 2>/dev/null || echo HEAD~1)}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
older=$target/older
# Remove leftovers of a killed run.
rm -rf "$older/source"
git worktree prune
git worktree add --quiet --detach "$older/source" "$revision"
trap 'git worktree remove --force "$older/source"' EXIT
echo "== building $(git -C "$older/source" log -1 --format='%h %s')"
(cd "$older/source" && CARGO_TARGET_DIR=$older/target cargo build --quiet --workspace --bins)
echo "== running it with $(git log -1 --format='%h %s')"
cargo build --quiet --workspace --bins
OLDER_BINARIES=$older/target/debug "$target/debug/stack" testbed -- \
  cargo test --quiet --workspace --test product -- --ignored --nocapture upgrade::
