#!/usr/bin/env bash
# The first start creates the data and runs the scripts of /docker-entrypoint-initdb.d on a server that listens only on
# its socket. Every start then executes the server, as root or as its user.
set -euo pipefail

as_postgres=()
if [ "$(id -u)" = 0 ]; then
  as_postgres=(setpriv --reuid postgres --regid postgres --init-groups)
  install -d -o postgres -g postgres /var/run/postgresql
  chown postgres: "$PGDATA"
fi
export POSTGRES_USER=${POSTGRES_USER:-postgres}
[ "${1#-}" = "$1" ] || set -- postgres "$@"
settings=(-c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql)

if [ ! -e "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # several arguments in one variable, as in the image it replaces
  "${as_postgres[@]}" initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" ${POSTGRES_INITDB_ARGS:-} \
    --pwfile "$POSTGRES_PASSWORD_FILE" --encoding UTF8 --locale C.UTF-8
  printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export PGPASSWORD
  "${as_postgres[@]}" pg_ctl --pgdata "$PGDATA" --wait start -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql"
  for script in /docker-entrypoint-initdb.d/*.sh; do "${as_postgres[@]}" bash "$script"; done
  "${as_postgres[@]}" pg_ctl --pgdata "$PGDATA" --wait stop
fi
exec "${as_postgres[@]}" "$@" -D "$PGDATA" "${settings[@]}"
