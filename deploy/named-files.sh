#!/usr/bin/env bash
# Lists the uploaded files that rows reference, sorted. A copy of the store must contain all of them (docs/BACKUP.md). Of the
# course's videos, whose segments only the store knows, these are the parts of uploads that are not removed yet, and the
# playlists.
#
#   deploy/named-files.sh      reads WALLET_DATABASE_URL, AUTH_DATABASE_URL, PAYMENT_METHOD_DATABASE_URL, COURSE_DATABASE_URL
set -euo pipefail

ask() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 "${1:?is not set}" <<<"$2"; }

{
  # Every bucket of members has transactions.
  ask "${WALLET_DATABASE_URL:-}" "
    SELECT change->>'document_file' FROM proposals WHERE change->>'document_file' IS NOT NULL;
    SELECT format('SELECT receipt_key FROM %I.transactions WHERE receipt_key IS NOT NULL', nspname)
    FROM pg_namespace WHERE nspname = 'public' OR nspname ~ '^wallet_[0-9]{2}\$' \\gexec"
  ask "${AUTH_DATABASE_URL:-}" "SELECT image_key FROM users WHERE image_key <> ''"
  ask "${PAYMENT_METHOD_DATABASE_URL:-}" "SELECT image_key FROM method_versions WHERE image_key <> ''"
  ask "${COURSE_DATABASE_URL:-}" "
    SELECT format('course/%s/upload/%s', replace(media::text, '-', ''), replace(media_chunks.name::text, '-', ''))
    FROM media_chunks JOIN media ON media.id = media WHERE state <> 'removed'
    UNION ALL
    SELECT format('course/%s/%s/%s', replace(id::text, '-', ''), replace(attempt::text, '-', ''),
      CASE kind WHEN 'video' THEN 'master.m3u8' ELSE 'attachment' END)
    FROM media WHERE state = 'ready'"
} | LC_ALL=C sort --unique
