#!/usr/bin/env bash
# Prepares an empty data folder from which PostgreSQL starts as it was at a moment, with all databases: the newest base
# backup of FOLDER that ended before it, and the write-ahead log up to it. Run as the server's user, server stopped.
#
#   deploy/restore.sh FOLDER DATA [MOMENT]      e.g. '2026-11-22 10:00:00+00'; the end of the log unless said
#
# Start the server then: it reads the log, up to the moment, before it lets anybody write. Afterwards: deploy/BACKUP.md.
set -euo pipefail

folder=$(realpath "${1:?the folder of the backups}")
data=${2:?the folder of the data}
moment=${3:-}

if [ -n "$(ls -A "$data" 2>/dev/null)" ]; then
  echo "$data is not empty: nothing is restored over what is there" >&2
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
# A log file is decompressed beside its place first, so that the server never sees half of one.
{
  echo "restore_command = 'test -e \"$folder/wal/%f.gz\" && gunzip --stdout \"$folder/wal/%f.gz\" > \"%p.part\" && mv \"%p.part\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  # Nobody connects before it is what it was.
  echo "hot_standby = off"
  [ -z "$moment" ] || echo "recovery_target_time = '$(date -u -d "$moment" '+%Y-%m-%d %H:%M:%S.%6N+00')'"
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "$data: from $base up to ${moment:-the end of the log}"
