#!/usr/bin/env bash
# Writes what deploy/secrets.sh generated as the secrets of a vault: one file of JSON for each key that the manifests read
# and that is not the operator's own account somewhere (docs/KUBERNETES.md, Secrets).
#
#   deploy/vault.sh FOLDER TO      FOLDER: that of deploy/secrets.sh; TO: gets database.json, broker.json, keys.json
set -euo pipefail

from=${1:?the folder of the secrets}
to=${2:?the folder for the files}
umask 077
mkdir -p "$to"

# quoted: the standard input as a string of JSON.
quoted() { printf '"'; sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'; printf '"'; }

# object: of lines with a name and a value as JSON.
object() { sed -E 's/^([^ ]+) (.*)$/  "\1": \2/; $!s/$/,/' | { echo '{'; cat; echo '}'; }; }

sed -E 's/^([^ ]+) (.*)$/\1 "\2"/' "$from/database-passwords" | object >"$to/database.json"
{
  sed -nE 's/^broker:([^ ]+) (.*)$/\1 "\2"/p' "$from/passwords"
  printf 'definitions %s\n' "$(quoted <"$from/rabbitmq-definitions.json")"
} | object >"$to/broker.json"
{
  for file in "$from"/keys/*.key; do printf '%s %s\n' "$(basename "$file" .key)" "$(quoted <"$file")"; done
  printf 'trusted %s\n' "$(quoted <"$from/keys/trusted.json")"
} | object >"$to/keys.json"
echo "the secrets are in $to: put each file into the vault, then delete the folder"
