#!/usr/bin/env bash
# Runs all tests of the repository, even after a failure. The last line is: N passed, N failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

target=${CARGO_TARGET_DIR:-target}
logs=$target/test-logs
mkdir -p "$logs"
rm -f "$logs"/*
passed=0
failed=0
times=

# run <name> <command…>: shows and stores the output, and stores how it ended and how long it took.
run() {
  local name=$1 status=0 began=$SECONDS
  shift
  echo "== $name"
  NO_COLOR=1 FORCE_COLOR=0 CARGO_TERM_COLOR=never "$@" 2>&1 | tee "$logs/$name.log" || status=$?
  echo "$status $((SECONDS - began))" >"$logs/$name.status"
}

# tally <name>: adds what it did to the sums; a step that fails without a count counts as one failure.
tally() {
  local sums status seconds
  read -r status seconds <"$logs/$1.status"
  sums=$(count "$logs/$1.log")
  local step_passed=${sums% *} step_failed=${sums#* }
  if [ "$status" -ne 0 ] && [ "$step_failed" -eq 0 ]; then step_failed=1; fi
  passed=$((passed + step_passed))
  failed=$((failed + step_failed))
  times+="$1 ${seconds} s, "
  if [ "$step_failed" -ne 0 ]; then failures "$1"; fi
}

# failures <name>: stores what failed in it, to be shown again at the end: of a long output often only the end is kept.
failures() {
  local named='FAILED|panicked at |^Error: | FAIL  |^ +✘|^ +\[[a-z]+\] › |^error|not ok'
  {
    echo "== failed in $1"
    grep -E -A 4 "$named" "$logs/$1.log" | head -n 40
    echo "   its last lines:"
    tail -n 3 "$logs/$1.log"
  } >>"$logs/failures"
}

step() {
  run "$@"
  tally "$1"
}

# again: runs up to five failed Rust tests a second time, as Playwright does with its own: some wait for servers, which a busy
# machine can delay for longer than they wait. What passes then counts as passed, and is named at the end.
again() {
  local targets=$logs/again flags names
  # One line for each target: its flags for cargo, a tab, the names of its failed tests.
  awk '
    /^failures:$/ { names = ""; next }
    /^    [a-z0-9_:]+$/ { names = names " " $1 }
    /to rerun pass `/ { split($0, quoted, "`"); print quoted[2] "\t" names }' "$logs/rust.log" "$logs/long.log" >"$targets"
  [ "$(cut -f 2 "$targets" | wc -w)" -le 5 ] || return
  while IFS=$'\t' read -r flags names; do
    [ -n "$names" ] || continue
    # All packages, since one alone has other features, and would be compiled again.
    # shellcheck disable=SC2086 # both are lists of words
    run second rust ${flags#-p * } -- --exact $names </dev/null
    if [ "$(cut -d ' ' -f 1 "$logs/second.status")" -eq 0 ]; then
      passed=$((passed + $(wc -w <<<"$names")))
      failed=$((failed - $(wc -w <<<"$names")))
      echo "== passed in rust at the second try:$names" >>"$logs/failures"
    fi
  done <"$targets"
}

# Sums the counts of cargo ("test result: …"), Vitest ("Tests …") and Playwright (" 3 passed (4s)").
count() {
  awk '
    function add(word, sum, text, pos) {
      if (match($0, "[0-9]+ " word)) return substr($0, RSTART, RLENGTH) + 0
      return 0
    }
    /^test result: / || /^ +Tests +[0-9]/ { passed += add("passed"); failed += add("failed"); next }
    /^ +[0-9]+ (passed|failed|flaky|interrupted|did not run)( \(|$)/ {
      passed += add("passed") + add("flaky"); failed += add("failed") + add("interrupted") + add("did not run")
    }
    END { print passed + 0, failed + 0 }' "$1"
}

browser() {
  for name in chromium chromium-browser google-chrome; do command -v "$name" && return; done
}

# Tests that take minutes, mostly on one core: beside the others, so that both are busy.
long=(
  a_thousand_days_are_explained_to_the_satoshi
  every_call_is_explained_whatever_dies
  three_months_end_what_ends_by_time
  a_stolen_password_and_a_days_patience_get_nothing
)
rust() { "$target/debug/stack" testbed -- cargo test --workspace --no-fail-fast "$@"; }

# e2e <command…>: over a product of its own.
e2e() { "$target/debug/stack" e2e -- "$@"; }
journeys() { e2e npm --prefix web run --silent e2e -- "$@"; }
web() { npm --prefix web run --silent test; }

test_services() {
  # The data of a test's servers in memory where there is plenty: on a disk, the file system is half of the work.
  local memory
  memory=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
  if [ "${memory:-0}" -gt 12000000 ] && [ -w /dev/shm ] && [ "$(df -k --output=avail /dev/shm | tail -1)" -gt 6000000 ]; then
    export TMPDIR=/dev/shm
  fi
  # Most of the longest wait for servers: with one for each core, the cores were idle for half of the time.
  RUST_TEST_THREADS=$((2 * $(nproc))) run rust rust -- "${long[@]/#/--skip=}" &
  RUST_TEST_THREADS=1 step long rust -- "${long[@]}"
  wait
  tally rust
  if [ "$failed" -ne 0 ]; then again; fi
  unset TMPDIR
}

# Two at a time: what waits for servers or for the browser leaves the cores to the other.
test_product() {
  {
    run web web
    run contract e2e deploy/contract.sh
    run "browser 1" journeys --shard=1/2
  } &
  step standby deploy/test-standby.sh
  step secrets deploy/test-secrets.sh
  step tasks deploy/test-tasks.sh
  step tls deploy/test-tls.sh
  step cluster "$target/debug/stack" cluster --quick --if-possible
  step settings node deploy/settings.mjs --check
  step chain "$target/debug/stack" e2e --chains -- npm --prefix web run --silent e2e -- e2e/chain.spec.ts
  step "browser 2" journeys --shard=2/2
  wait
  tally web
  tally contract
  tally "browser 1"
  # Alone: while some attack, others must not wait.
  step attack "$target/debug/stack" attack --quick
}

# Binaries and tests in one build, so that both have the same features and nothing is compiled twice.
step build cargo build --workspace --bins --tests
if [ "$failed" -eq 0 ]; then
  CHROMIUM_PATH=$(browser)
  export CHROMIUM_PATH
  test_services
  test_product
else
  step web web
fi

if [ -f "$logs/failures" ]; then cat "$logs/failures"; fi
echo "${times%, }"
echo "$passed passed, $failed failed" | tee "$logs/summary"
[ "$failed" -eq 0 ]
