#!/usr/bin/env bash
# Lists the uploaded files that rows reference, sorted. A copy of the store must contain all of them (deploy/BACKUP.md).
#
#   deploy/named-files.sh      reads WALLET_DATABASE_URL, AUTH_DATABASE_URL and PAYMENT_METHOD_DATABASE_URL
set -euo pipefail

ask() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 "${1:?is not set}" --command "$2"; }

{
  ask "${WALLET_DATABASE_URL:-}" "SELECT receipt_key FROM transactions WHERE receipt_key IS NOT NULL"
  ask "${AUTH_DATABASE_URL:-}" "SELECT image_key FROM users WHERE image_key <> ''"
  ask "${PAYMENT_METHOD_DATABASE_URL:-}" "SELECT image_key FROM method_versions WHERE image_key <> ''"
} | LC_ALL=C sort --unique
