#!/usr/bin/env bash
# Dumps the databases, each in one consistent snapshot, into FOLDER/<time>/NAME.dump with a checksum beside it, and lists
# the uploaded files that their rows name: FOLDER/<time>/files, which a copy of the bucket must hold (deploy/BACKUP.md).
#
#   deploy/backup.sh FOLDER [NAME…]      auth wallet trade payment_method mailer unless named
#
# Where each is stands in NAME_DATABASE_URL (AUTH_DATABASE_URL, …; the variables of audit), as the owner of the schema.
# With docker compose: deploy/BACKUP.md.
set -euo pipefail

folder=${1:?the folder of the backups}
shift
# What takes events before what sends them: a restored consumer is then never ahead of its source (deploy/replay.sh
# sends again what it misses).
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(mailer wallet trade auth payment_method)

url_of() {
  local variable="${1^^}_DATABASE_URL"
  printf '%s' "${!variable:?is not set}"
}

# Asked right after the dump: a file that came in between is named too, and no harm.
files_of() {
  case $1 in
    wallet) echo "SELECT receipt_key FROM transactions WHERE receipt_key IS NOT NULL" ;;
    auth) echo "SELECT image_key FROM users WHERE image_key <> ''" ;;
    payment_method) echo "SELECT image_key FROM method_versions WHERE image_key <> ''" ;;
  esac
}

umask 077
backup=$folder/$(date -u +%Y%m%dT%H%M%SZ)
mkdir -p "$backup.part"
for name in "${names[@]}"; do
  pg_dump --format custom --no-password --lock-wait-timeout 10s --file "$backup.part/$name.dump" "$(url_of "$name")"
  # A dump whose table of contents cannot be read is none.
  pg_restore --list "$backup.part/$name.dump" >/dev/null
  psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 "$(url_of "$name")" <<<"$(files_of "$name")"
done | LC_ALL=C sort --unique >"$backup.part/files"
(cd "$backup.part" && sha256sum -- *.dump files >SHA256SUMS)
# Under its own name only when it is whole.
mv "$backup.part" "$backup"
echo "$backup"
