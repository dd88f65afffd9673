#!/usr/bin/env bash
# Prepares an empty data folder for a point-in-time restore of all databases: the newest base backup in FOLDER that
# ended before that time, and the write-ahead log up to it. Run it as the server's user, with the server stopped.
#
#   deploy/restore.sh FOLDER DATA [MOMENT]      e.g. '2026-11-22 10:00:00+00'; default: the end of the log
#
# Then start the server, which replays the log up to that time before it accepts writes. Next steps: docs/BACKUP.md.
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

# An earlier restore began a new timeline: its history names those before it, and where each was left. Base backups of
# what was given up there are of no use.
history=$(find "$folder/wal" -name '????????.history.gz' | sort | tail -n 1)
# position LSN: a number that can be compared.
position() { echo $((16#${1%/*} * 4294967296 + 16#${1#*/})); }
# leads BASE: whether the newest timeline goes through the end of this base backup.
leads() {
  local timeline end left
  read -r timeline end < <(sed -n 's/.*"Timeline": \([0-9]*\),.*"End-LSN": "\([^"]*\)".*/\1 \2/p' "$1/backup_manifest")
  if [ -z "$history" ] || [ "$timeline" = $((16#$(basename "$history" .history.gz))) ]; then return 0; fi
  left=$(gunzip --stdout "$history" | awk -v timeline="$timeline" '$1 == timeline { print $2 }')
  [ -n "$left" ] && [ "$(position "$end")" -le "$(position "$left")" ]
}

base=""
for one in "$folder"/base/*Z; do
  if [[ "$(basename "$one")" < "$before" ]] && leads "$one"; then base=$one; fi
done
[ -d "$base" ] || { echo "no base backup ended before ${moment:-now}" >&2; exit 1; }

umask 077
mkdir -p "$data"
cp -a "$base/." "$data/"
chmod 700 "$data"
# The settings of a restore are this one's alone: an earlier one's are removed first, and its own when it is complete. If they
# stayed, they would be in every later base backup and standby. Nor does the restored server have the standby that the
# lost one had, for which commits would wait.
forget='/^(restore_command|recovery_[a-z_]+|hot_standby|primary_[a-z_]+|synchronous_standby_names) *=/d'
sed -i -E "$forget" "$data/postgresql.auto.conf"
# Decompress to a temporary name first, so that the server never reads a partial file.
{
  echo "restore_command = 'test -e \"$folder/wal/%f.gz\" && gunzip --stdout \"$folder/wal/%f.gz\" > \"%p.part\" && mv \"%p.part\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  # No connections before the restore is complete.
  echo "hot_standby = off"
  [ -z "$moment" ] || echo "recovery_target_time = '$(date -u -d "$moment" '+%Y-%m-%d %H:%M:%S.%6N+00')'"
  echo "recovery_end_command = 'sed -i -E \"$forget\" postgresql.auto.conf'"
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "$data: from $base up to ${moment:-the end of the log}"
