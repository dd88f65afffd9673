#!/usr/bin/env bash
# PostgreSQL's archive_command: keeps one file of the write-ahead log, compressed, in FOLDER/wal. An existing file must
# be identical.
#
#   archive_command = '/deploy/archive-wal.sh /backups %p %f'
set -euo pipefail

folder=$1/wal path=$2 name=$3
umask 077
if [ -e "$folder/$name.gz" ]; then
  gunzip --stdout "$folder/$name.gz" | cmp --silent - "$path"
  exit
fi
gzip --fast --stdout "$path" >"$folder/$name.gz.part"
sync "$folder/$name.gz.part"
mv "$folder/$name.gz.part" "$folder/$name.gz"
sync "$folder"
