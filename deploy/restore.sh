#!/usr/bin/env bash
# Brings databases back from a folder that deploy/backup.sh wrote, into empty databases of a fresh server: each whole or
# not at all. Roles and databases must be there (docker compose and deploy/kubernetes make them).
#
#   deploy/restore.sh FOLDER/<time> [NAME…]      every dump of the folder unless named
#
# Where each goes stands in NAME_DATABASE_URL, as the owner of the schema. The services must not run; afterwards:
# deploy/replay.sh, then audit, then the services.
set -euo pipefail

backup=${1:?the folder of one backup}
shift
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for dump in "$backup"/*.dump; do names+=("$(basename "$dump" .dump)"); done
fi

url_of() {
  local variable="${1^^}_DATABASE_URL"
  printf '%s' "${!variable:?is not set}"
}

(cd "$backup" && sha256sum --check --quiet SHA256SUMS)
for name in "${names[@]}"; do
  tables=$(psql --no-psqlrc --tuples-only --no-align --command \
    "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'" "$(url_of "$name")")
  if [ "$tables" != 0 ]; then
    echo "the database of $name is not empty: nothing is restored over what is there" >&2
    exit 1
  fi
done
for name in "${names[@]}"; do
  # Rights are restored too; what belongs to whom follows from who restores.
  pg_restore --no-owner --exit-on-error --single-transaction --no-password --dbname "$(url_of "$name")" \
    "$backup/$name.dump"
  # Silent about the server's own tables, which are not ours to look at.
  PGOPTIONS=--client-min-messages=error psql --no-psqlrc --quiet --command ANALYZE "$(url_of "$name")"
  echo "$name is restored"
done
