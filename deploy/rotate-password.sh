#!/usr/bin/env bash
# Replaces a password of the installation with docker compose: in the server, in deploy/compose/secrets, and in the
# processes that use it, which are started again. Open connections continue.
#
#   deploy/rotate-password.sh database:ROLE      a role of PostgreSQL: wallet, wallet_owner, course_worker, auditor, postgres, …
#   deploy/rotate-password.sh broker:PROCESS     a user of RabbitMQ: auth, payment-method, gateway, …
#   deploy/rotate-password.sh store:ACCOUNT      an account of the store of uploaded files: gateway, course-worker, backup
#
# If it stops halfway, run it again.
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-}
folder=deploy/compose/secrets
grep -qs "^$name " "$folder/passwords" || {
  echo "there is no password named ${name:-like that}: these are" >&2
  sed 's/ .*//' "$folder/passwords" >&2
  exit 2
}
fresh=$(openssl rand -hex 20)
of=${name#*:}

# The server first: files with a password that it does not know would stop the processes.
case $name in
  database:*)
    # The password is on the standard input, not in the list of processes.
    docker compose exec -T postgres bash -c \
      'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username postgres --dbname postgres' \
      <<<"ALTER ROLE $of PASSWORD '$fresh'"
    ;;
  broker:*)
    # With any other argument it does not read its input, and waits for ever.
    docker compose exec -T rabbitmq rabbitmqctl change_password "$of" <<<"$fresh" >/dev/null
    rm -f "$folder/rabbitmq-definitions.json"
    ;;
esac
sed "s/^$name .*/$name $fresh/" "$folder/passwords" >"$folder/passwords.new"
chmod 600 "$folder/passwords.new"
mv "$folder/passwords.new" "$folder/passwords"
deploy/secrets.sh

case $name in
  database:postgres) docker compose up --detach --force-recreate postgres ;;
  database:monitor) docker compose --profile observe up --detach --no-deps --force-recreate postgres-metrics ;;
  database:*_owner | database:auditor | store:backup) ;; # read at the next use
  database:*) of=${of//_/-}; docker compose up --detach --no-deps --force-recreate "$of" ;;
  broker:*) docker compose up --detach --no-deps --force-recreate "$of" ;;
  # The store reads its accounts when it starts.
  store:*) docker compose up --detach --force-recreate store && docker compose up --detach --no-deps --force-recreate "$of" ;;
esac
case $name in store:backup) docker compose up --detach --force-recreate store ;; esac
echo "$name has a new password"
