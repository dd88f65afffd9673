#!/bin/sh
# Copies the backups and the uploaded files of one machine off it, encrypted, or back (docs/BACKUP.md). Runs in the
# container `copy`. It removes nothing there, so the account needs no permission to delete.
#
#   deploy/copy.sh out       what is not there yet
#   deploy/copy.sh back      on a new machine
#
# Reads COPY_TO and rclone's remote "away" from the environment, and the password from /run/secrets/copy-password.
set -eu
# shellcheck disable=SC3040 # the shell of the image has it
set -o pipefail

: "${COPY_TO:?is not set: where to copy to, in deploy/compose/secrets/copy.env}"
backups=${BACKUPS_FOLDER:-/backups} files=${FILES_FOLDER:-/files}
RCLONE_CONFIG_COPY_PASSWORD=$(rclone obscure - <"${COPY_PASSWORD_FILE:-/run/secrets/copy-password}")
export RCLONE_CONFIG="" RCLONE_CONFIG_COPY_TYPE=crypt RCLONE_CONFIG_COPY_REMOTE="away:$COPY_TO" RCLONE_CONFIG_COPY_PASSWORD

# More than 300 GB in one object.
export RCLONE_S3_CHUNK_SIZE="${RCLONE_S3_CHUNK_SIZE:-32M}"

copy_log() { rclone copy --immutable --exclude '*.part' "$backups/wal" copy:wal; }

# A base backup has empty folders and owners, which an object store does not keep, so it is one object. It is complete if
# there is another one that says so.
case ${1:-} in
  out)
    # The log first, because a base backup may take long, and again, because it needs the log of its time.
    copy_log
    there=$(rclone lsf copy:base 2>/dev/null || true)
    for base in "$backups"/base/*Z; do
      name=$(basename "$base")
      [ -d "$base" ] || continue
      if printf '%s\n' "$there" | grep -qx "$name.complete"; then continue; fi
      tar -C "$backups/base" -c "$name" | rclone rcat "copy:base/$name.tar"
      echo complete | rclone rcat "copy:base/$name.complete"
    done
    copy_log
    rclone copy --immutable "$files" copy:files
    ;;
  back)
    mkdir -p "$backups/base" "$backups/wal"
    rclone lsf copy:base | sed -n 's/\.complete$//p' | while read -r name; do
      rclone cat "copy:base/$name.tar" </dev/null | tar -C "$backups/base" -x
    done
    rclone copy copy:wal "$backups/wal"
    rclone copy copy:files "$files"
    ;;
  *)
    echo "usage: copy.sh out|back" >&2
    exit 2
    ;;
esac
