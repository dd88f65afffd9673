#!/usr/bin/env bash
# Rotates a key of a deployment without logging anyone out: every process trusts the new public key before it is used
# for signing, and the old one until all its signatures have expired.
#
#   deploy/rotate-key.sh [--folder FOLDER] add NAME       token, decision, or a process of services/services.txt
#   deploy/rotate-key.sh [--folder FOLDER] switch NAME
#   deploy/rotate-key.sh [--folder FOLDER] retire NAME    not for decision, whose old signatures stay in use
#   deploy/rotate-key.sh [--folder FOLDER] replace code|link|push
#
# See docs/KEYS.md for what to restart between the steps and how long to wait.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/keys.sh
. deploy/services.sh

folder=deploy/compose/secrets
if [ "${1:-}" = --folder ]; then folder=$2; shift 2; fi
step=${1:?add, switch, retire or replace}
name=${2:?the name of the key}
case "$step:$name" in
  add:token | switch:token | retire:token | add:decision | switch:decision | replace:code | replace:link | replace:push) ;;
  add:* | switch:* | retire:*) is_process "$name" || { echo "$step $name is not possible" >&2; exit 1; } ;;
  *) echo "$step $name is not possible" >&2; exit 1 ;;
esac
umask 077
cd "$folder"

kid_of() { sed -E 's/.*"kid":"([^"]*)".*/\1/' "$1"; }

case $step in
  add)
    [ ! -e "keys/$name.key.next" ] || { echo "there is already a new $name key: switch to it first" >&2; exit 1; }
    use=service signer=$name
    case $name in
      token) use=member signer=auth ;;
      decision) signer=decisions ;;
    esac
    entry=$(signing_key "$name" "$use" "$signer" "$name.key.next")
    trust "$entry"
    echo "the new public key is in trusted.json: restart every process, then switch"
    ;;
  switch)
    [ -e "keys/$name.key.next" ] || { echo "there is no new $name key: add one first" >&2; exit 1; }
    mv -f "keys/$name.key.next" "keys/$name.key"
    case $name in
      token) echo "restart auth; retire the old key once its signatures have expired" ;;
      decision) echo "restart auth; the old public key stays in trusted.json to verify earlier decisions" ;;
      *) echo "restart $name; retire the old key once its signatures have expired" ;;
    esac
    ;;
  retire)
    [ ! -e "keys/$name.key.next" ] || { echo "the new $name key is not in use yet: switch to it first" >&2; exit 1; }
    now=$(kid_of "keys/$name.key")
    # Names may share a prefix; the random part of a key id has eight characters.
    { entries; echo; } | sed '/^$/d' | awk -v name="$name" -v now="$now" '
      { kid = $0; sub(/.*"kid":"/, "", kid); sub(/".*/, "", kid) }
      length(kid) == length(name) + 9 && index(kid, name "-") == 1 && kid != now { next }
      { print }' | join_entries | readable keys/trusted.json
    echo "only the current $name key is trusted now: restart every process"
    ;;
  replace)
    openssl rand 32 | base64url | readable "keys/$name.key"
    case $name in
      code) echo "restart auth; codes and links that were already sent no longer work" ;;
      link) echo "restart gateway; open pages request their receipts again" ;;
      push) echo "restart mailer; notices reach a device again once its member has opened the app there" ;;
    esac
    ;;
esac
