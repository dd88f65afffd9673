#!/usr/bin/env bash
# Runs once, when the server's data is created: one database per service, owned by the role that runs its migrations.
# The service's role may read and write rows, but cannot change the schema or connect to other databases.
set -euo pipefail

admin() { psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"; }

# deploy/secrets.sh generates names and passwords of letters, digits and underscores only.
while read -r role password; do
  admin --dbname postgres <<SQL
CREATE ROLE $role LOGIN PASSWORD '$password';
SQL
done </run/secrets/database-passwords

for name in $(sed -n 's/_owner .*//p' /run/secrets/database-passwords); do
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
