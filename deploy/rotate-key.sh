#!/usr/bin/env bash
# Rotates a key of a deployment without logging anyone out: every process trusts the new public key before it is used
# for signing, and the old one until all its signatures have expired.
#
#   deploy/rotate-key.sh [--folder FOLDER] add NAME       token, decision, auth, wallet, trade, payment-method, mailer, gateway
#   deploy/rotate-key.sh [--folder FOLDER] switch NAME
#   deploy/rotate-key.sh [--folder FOLDER] retire NAME    not for decision, whose old signatures stay in use
#   deploy/rotate-key.sh [--folder FOLDER] replace code|link
#
# See deploy/KEYS.md for what to restart between the steps and how long to wait.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/keys.sh

folder=deploy/compose/secrets
if [ "${1:-}" = --folder ]; then folder=$2; shift 2; fi
step=${1:?add, switch, retire or replace}
name=${2:?the name of the key}
case "$step:$name" in
  add:token | switch:token | retire:token | add:decision | switch:decision) ;;
  add:auth | add:wallet | add:trade | add:payment-method | add:mailer | add:gateway) ;;
  switch:auth | switch:wallet | switch:trade | switch:payment-method | switch:mailer | switch:gateway) ;;
  retire:auth | retire:wallet | retire:trade | retire:payment-method | retire:mailer | retire:gateway) ;;
  replace:code | replace:link) ;;
  *) echo "there is no $step $name" >&2; exit 1 ;;
esac
umask 077
cd "$folder"

kid_of() { sed -E 's/.*"kid":"([^"]*)".*/\1/' "$1"; }

case $step in
  add)
    [ ! -e "keys/$name.key.next" ] || { echo "a new $name key waits already: switch" >&2; exit 1; }
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
    [ -e "keys/$name.key.next" ] || { echo "no new $name key waits: add" >&2; exit 1; }
    mv -f "keys/$name.key.next" "keys/$name.key"
    case $name in
      token) echo "restart auth; retire when what the old key signed has ended" ;;
      decision) echo "restart auth; the old public key stays in trusted.json: it verifies the decisions of before" ;;
      *) echo "restart $name; retire when what the old key signed has ended" ;;
    esac
    ;;
  retire)
    [ ! -e "keys/$name.key.next" ] || { echo "the new $name key does not sign yet: switch" >&2; exit 1; }
    now=$(kid_of "keys/$name.key")
    # Names may share a prefix; the random part of a key id has eight characters.
    { entries; echo; } | sed '/^$/d' | awk -v name="$name" -v now="$now" '
      { kid = $0; sub(/.*"kid":"/, "", kid); sub(/".*/, "", kid) }
      length(kid) == length(name) + 9 && index(kid, name "-") == 1 && kid != now { next }
      { print }' | join_entries | readable keys/trusted.json
    echo "only the present $name key is trusted: restart every process"
    ;;
  replace)
    openssl rand 32 | base64url | readable "keys/$name.key"
    case $name in
      code) echo "restart auth; codes and links that were mailed before are dead" ;;
      link) echo "restart gateway; receipts that are open in a page are asked for anew" ;;
    esac
    ;;
esac
