#!/usr/bin/env bash
# A standby on a second machine, which has every commit before it is acknowledged (docs/COMPOSE.md, Two machines).
# Runs as the server's user, in the container of PostgreSQL:
#
#   deploy/standby.sh allow            on the primary: lets a standby connect
#   deploy/standby.sh copy HOST DATA   on the new standby, with its server stopped: copies the primary at HOST to DATA
#   deploy/standby.sh require          on the primary: from now on commits wait for the standby
#   deploy/standby.sh release          on the primary, when the standby is lost for long: commits no longer wait
#   deploy/standby.sh promote          on the standby, when the primary is lost and cannot come back by itself
#
# Reads PGHOST, PGPORT, PGUSER and PGPASSWORD; in the compose container the defaults work.
set -euo pipefail

if [ -z "${PGPASSWORD:-}" ] && [ -r "${POSTGRES_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export PGPASSWORD
fi
export PGUSER=${PGUSER:-postgres}
for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done

# The name under which the standby connects, and the slot that keeps the log that it has not received.
name=standby
# As much log as a lost standby may hold back; then it has to be copied again.
kept=20GB

sql() { psql --quiet --no-psqlrc --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname postgres "$@"; }

case ${1:-} in
  allow)
    rules=$(sql --command 'SHOW hba_file')
    rule="hostssl replication $PGUSER all scram-sha-256"
    grep -qxF "$rule" "$rules" || echo "$rule" >>"$rules"
    sql --command "ALTER SYSTEM SET max_slot_wal_keep_size = '$kept'" --command 'SELECT pg_reload_conf()' >/dev/null
    sql --command "SELECT pg_create_physical_replication_slot('$name', true)
      WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '$name')" >/dev/null
    ;;
  copy)
    host=${2:?the address of the primary}
    data=${3:?the folder of the data}
    if [ -n "$(ls -A "$data" 2>/dev/null)" ]; then
      echo "$data is not empty: refusing to copy over existing data" >&2
      exit 1
    fi
    tls=${PGSSLROOTCERT:-/run/tls/ca.crt}
    pg_basebackup --pgdata "$data" --checkpoint fast --wal-method stream --slot "$name" --write-recovery-conf \
      --dbname "host=$host application_name=$name sslmode=verify-ca sslrootcert=$tls keepalives_idle=5"
    # A version before this one left the settings of a restore in the primary: here they would end the standby.
    sed -i -E '/^(restore_command|recovery_[a-z_]+|hot_standby) *=/d' "$data/postgresql.auto.conf"
    ;;
  require)
    streams=$(sql --command "SELECT count(*) FROM pg_stat_replication WHERE application_name = '$name' AND state = 'streaming'")
    [ "$streams" = 1 ] || { echo "no standby follows: commits would wait at once" >&2; exit 1; }
    sql --command "ALTER SYSTEM SET synchronous_standby_names = '$name'" --command 'SELECT pg_reload_conf()' >/dev/null
    ;;
  release)
    sql --command 'ALTER SYSTEM RESET synchronous_standby_names' --command 'SELECT pg_reload_conf()' >/dev/null
    ;;
  promote)
    # On its own line, so that an error of psql ends the script.
    follows=$(sql --command 'SELECT pg_is_in_recovery()')
    [ "$follows" = t ] || { echo "this server is a primary already" >&2; exit 1; }
    # It was copied from the primary, with the request to wait for a standby, which this one does not have.
    sql --command 'ALTER SYSTEM RESET synchronous_standby_names' --command 'SELECT pg_reload_conf()' >/dev/null
    promoted=$(sql --command 'SELECT pg_promote()')
    [ "$promoted" = t ] || { echo "it is not promoted yet: see its log" >&2; exit 1; }
    for setting in primary_conninfo primary_slot_name; do sql --command "ALTER SYSTEM RESET $setting"; done
    ;;
  *)
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
    ;;
esac
