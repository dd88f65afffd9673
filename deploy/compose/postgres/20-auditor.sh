#!/usr/bin/env bash
# The role of the audit: it reads every database and changes nothing. Runs when the server's data is created; on a server
# from before the role existed, run it once by hand, after deploy/secrets.sh (see docs/COMPOSE.md).
set -euo pipefail

passwords=${DATABASE_PASSWORDS_FILE:-/run/secrets/database-passwords}
if [ -z "${PGPASSWORD:-}" ] && [ -r "${POSTGRES_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export PGPASSWORD
fi
admin() { psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"; }

password=$(sed -n 's/^auditor //p' "$passwords")
admin --dbname postgres <<SQL
SELECT 'CREATE ROLE auditor LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') \gexec
ALTER ROLE auditor PASSWORD '$password';
ALTER ROLE auditor SET default_transaction_read_only = on;
SQL
for name in $(sed -n 's/_owner .*//p' "$passwords"); do
  admin --dbname "$name" <<SQL
GRANT CONNECT ON DATABASE $name TO auditor;
SELECT format('GRANT USAGE ON SCHEMA %1\$I TO auditor; GRANT SELECT ON ALL TABLES IN SCHEMA %1\$I TO auditor', nspname)
FROM pg_namespace WHERE nspname = 'public' OR nspname ~ '^wallet_([0-9]{2}|all)\$' \gexec
ALTER DEFAULT PRIVILEGES FOR ROLE ${name}_owner GRANT SELECT ON TABLES TO auditor;
SQL
done
