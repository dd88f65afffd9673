#!/usr/bin/env bash
# Takes a base backup of the whole server, with all databases at the same point in time, into FOLDER/base/<time>, and
# deletes what is not needed to restore to any point in the last DAYS days. The write-ahead log since then is kept in
# FOLDER/wal by the server
# itself (deploy/archive-wal.sh); deploy/restore.sh needs both.
#
#   deploy/backup.sh FOLDER [DAYS]      default: 7 days
#
# Reads PGHOST, PGPORT, PGUSER and PGPASSWORD; in the compose container the defaults work.
set -euo pipefail

folder=${1:?the folder of the backups}
days=${2:-7}
for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done
if [ -z "${PGPASSWORD:-}" ] && [ -r "${POSTGRES_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export PGPASSWORD
fi
export PGUSER=${PGUSER:-postgres}

archives=$(psql --no-psqlrc --tuples-only --no-align --dbname postgres --command 'SHOW archive_mode')
[ "$archives" = on ] || { echo "the server does not archive its log: archive_mode is $archives" >&2; exit 1; }

umask 077
mkdir -p "$folder/base"
rm -rf "$folder"/base/*.part
part=$folder/base/new.part
pg_basebackup --pgdata "$part" --checkpoint fast --wal-method stream --no-password
pg_verifybackup --quiet "$part"
# Named by the time of its end, the earliest point that can be restored from it. Renamed only when it is complete.
backup=$folder/base/$(date -u +%Y%m%dT%H%M%SZ)
mv "$part" "$backup"

# Keep the newest base backup from before the retention period, and all later ones.
oldest=$(date -u -d "$days days ago" +%Y%m%dT%H%M%SZ)
kept=""
for base in "$folder"/base/*Z; do
  if [ -z "$kept" ] || [[ "$(basename "$base")" < "$oldest" ]]; then kept=$base; fi
done
for base in "$folder"/base/*Z; do
  if [[ "$base" < "$kept" ]]; then rm -rf "$base"; fi
done
first=$(sed -n 's/^START WAL LOCATION:.*(file \([0-9A-F]*\))$/\1/p' "$kept/backup_label")
pg_archivecleanup -x .gz "$folder/wal" "$first"
echo "$backup"
