#!/usr/bin/env bash
# Replays events: puts those that a service published since a given time back into its outbox, from where its relay
# publishes them. Consumers ignore events they have already processed, so replaying too many is harmless.
#
#   deploy/replay.sh SINCE [NAME…]      e.g. '2026-11-21 10:00+00' or '2 hours ago'; auth wallet trade payment_method cases
#
# Published events are kept for seven days. Reads the address of each database from NAME_DATABASE_URL; in the compose
# container the defaults work.
set -euo pipefail

since=$(date -u -d "${1:?since when}" +%Y-%m-%dT%H:%M:%SZ)
shift
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(auth wallet trade payment_method cases)
if [ -r "${POSTGRES_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=${PGPASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE")}
  export PGPASSWORD
  for name in "${names[@]}"; do
    declare -x "${name^^}_DATABASE_URL=postgres://postgres@/$name"
  done
fi

for name in "${names[@]}"; do
  variable="${name^^}_DATABASE_URL"
  # Every bucket of members has an outbox.
  rows=$(psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --set "since=$since" "${!variable:?is not set}" <<'SQL'
SELECT format('WITH again AS (UPDATE %I.outbox SET published_at = NULL WHERE published_at >= %L RETURNING 1) SELECT count(*) FROM again',
    nspname, :'since') FROM pg_namespace WHERE nspname = 'public' OR nspname ~ '^wallet_[0-9]{2}$' \gexec
SQL
  )
  echo "$name: $((${rows//$'\n'/+})) events since $since will be published again"
done
