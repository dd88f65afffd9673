#!/usr/bin/env bash
# One database per service, owned by the role that runs its migrations. The service's role may read and write rows, but
# cannot change the schema or connect to other databases. Runs when the server's data is created; for a version with a
# new service, run it again by hand, after deploy/secrets.sh (see docs/COMPOSE.md). It adds what is missing.
set -euo pipefail

passwords=${DATABASE_PASSWORDS_FILE:-/run/secrets/database-passwords}
if [ -z "${PGPASSWORD:-}" ] && [ -r "${POSTGRES_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export PGPASSWORD
fi
admin() { psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"; }

# deploy/secrets.sh generates names and passwords of letters, digits and underscores only.
while read -r role password; do
  admin --dbname postgres <<SQL
SELECT 'CREATE ROLE $role LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$role') \gexec
ALTER ROLE $role PASSWORD '$password';
SQL
done <"$passwords"

for name in $(sed -n 's/_owner .*//p' "$passwords"); do
  admin --dbname postgres <<SQL
SELECT 'CREATE DATABASE $name OWNER ${name}_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '$name') \gexec
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

# Metrics of the server: its statistics, and no table.
admin --dbname postgres --command 'GRANT pg_monitor TO monitor'

# The media worker of course sees the rows of files and nothing else. On a server from before its role, the table is there.
admin --dbname course <<'SQL'
GRANT CONNECT ON DATABASE course TO course_worker;
GRANT USAGE ON SCHEMA public TO course_worker;
SELECT 'GRANT SELECT, UPDATE, DELETE ON media, media_chunks TO course_worker' WHERE to_regclass('media') IS NOT NULL \gexec
SQL
