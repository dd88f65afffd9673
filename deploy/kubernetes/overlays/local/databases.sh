#!/usr/bin/env bash
# Creates roles and databases with the server's data. The first step of the migrations grants their privileges.
set -euo pipefail
while read -r role password; do
  psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" <<<"CREATE ROLE $role LOGIN PASSWORD '$password'"
done </run/secrets/database-passwords
for name in $(sed -n 's/_owner .*//p' /run/secrets/database-passwords); do
  psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" <<<"CREATE DATABASE $name OWNER ${name}_owner"
done
