#!/usr/bin/env bash
# Prepares an empty data folder for a point-in-time restore of all databases: the newest base backup in FOLDER that
# ended before that time, and the write-ahead log up to it. Run it as the server's user, with the server stopped.
#
#   deploy/restore.sh FOLDER DATA [MOMENT]      e.g. '2026-11-22 10:00:00+00'; default: the end of the log
#
# Then start the server, which replays the log up to that time before it accepts writes. Next steps: deploy/BACKUP.md.
set -euo pipefail

folder=$(realpath "${1:?the folder of the backups}")
data=${2:?the folder of the data}
moment=${3:-}

if [ -n "$(ls -A "$data" 2>/dev/null)" ]; then
  echo "$data is not empty: refusing to restore over existing data" >&2
  exit 1
fi
before=99999999T999999Z
[ -z "$moment" ] || before=$(date -u -d "$moment" +%Y%m%dT%H%M%SZ)
base=""
for one in "$folder"/base/*Z; do
  if [[ "$(basename "$one")" < "$before" ]]; then base=$one; fi
done
[ -d "$base" ] || { echo "no base backup ended before $moment" >&2; exit 1; }

umask 077
mkdir -p "$data"
cp -a "$base/." "$data/"
chmod 700 "$data"
# Decompress to a temporary name first, so that the server never reads a partial file.
{
  echo "restore_command = 'test -e \"$folder/wal/%f.gz\" && gunzip --stdout \"$folder/wal/%f.gz\" > \"%p.part\" && mv \"%p.part\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  # No connections before the restore is complete.
  echo "hot_standby = off"
  [ -z "$moment" ] || echo "recovery_target_time = '$(date -u -d "$moment" '+%Y-%m-%d %H:%M:%S.%6N+00')'"
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "$data: from $base up to ${moment:-the end of the log}"
