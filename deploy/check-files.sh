#!/usr/bin/env bash
# Prints the uploaded files that rows reference and a copy of the store lacks; fails if there are any, or if the databases
# do not answer.
#
#   deploy/check-files.sh FOLDER      the folder of the copy; reads what deploy/named-files.sh reads
set -euo pipefail

folder=${1:?the folder of the copy}
named=$("$(dirname "$0")/named-files.sh")
missing=$(LC_ALL=C comm -23 <(printf '%s\n' "$named") <(cd "$folder" && find . -type f -printf '%P\n' | LC_ALL=C sort) | sed '/^$/d')
if [ -n "$missing" ]; then
  printf '%s\n' "$missing"
  echo "these files are missing in $folder" >&2
  exit 1
fi
echo "all files that rows reference are in $folder" >&2
