#!/usr/bin/env bash
# Runs once, when the server's data is made: one database a service, owned by the role that runs its migrations. The
# service's own role may read and write rows, change no schema, and reach no other database.
set -euo pipefail

admin() { psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"; }

# Both names and passwords are made by deploy/secrets.sh: letters, digits and underscores alone.
while read -r role password; do
  admin --dbname postgres <<SQL
CREATE ROLE $role LOGIN PASSWORD '$password';
SQL
done </run/secrets/database-passwords

for name in auth wallet trade payment_method mailer; do
  admin --dbname postgres <<SQL
CREATE DATABASE $name OWNER ${name}_owner;
REVOKE ALL ON DATABASE $name FROM PUBLIC;
GRANT CONNECT ON DATABASE $name TO $name;
SQL
  admin --dbname "$name" <<SQL
GRANT USAGE ON SCHEMA public TO $name;
ALTER DEFAULT PRIVILEGES FOR ROLE ${name}_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO $name;
ALTER DEFAULT PRIVILEGES FOR ROLE ${name}_owner GRANT USAGE, SELECT ON SEQUENCES TO $name;
ALTER DEFAULT PRIVILEGES FOR ROLE ${name}_owner GRANT EXECUTE ON FUNCTIONS TO $name;
SQL
done
