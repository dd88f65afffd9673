#!/usr/bin/env bash
# Looks for what an installation with docker compose lacks before members use it: prints a line for each question, and what
# to do where the answer is no. Fails if there is one. With an address, it sends a test mail there, and says what the relay answered.
#
#   deploy/doctor.sh [ADDRESS]
set -uo pipefail
cd "$(dirname "$0")/.." || exit

secrets=deploy/compose/secrets
wrong=0

# setting NAME: from the environment, else from .env.
setting() {
  if [ -n "${!1:-}" ]; then printf '%s' "${!1}"; return; fi
  sed -n "s/^$1=//p" .env 2>/dev/null | tail -n 1 | sed -E "s/^(['\"])(.*)\1$/\2/"
}

# check QUESTION WHAT-TO-DO COMMAND…
check() {
  local question=$1 advice=$2
  shift 2
  if "$@" >/dev/null 2>&1; then
    printf 'ok     %s\n' "$question"
  else
    printf 'WRONG  %s: %s\n' "$question" "$advice"
    wrong=$((wrong + 1))
  fi
}

compose_is_recent() { [ "$(printf '%s\n' 2.24 "$(docker compose version --short)" | sort -V | head -n 1)" = 2.24 ]; }
secrets_are_private() { [ "$(stat -c %a "$secrets")" = 700 ]; }
certificates_last() { local file; for file in "$secrets"/tls/*.crt; do openssl x509 -in "$file" -noout -checkend 2592000 || return; done; }
is_https() { [[ "$url" = https://* ]]; }
resolves() { getent hosts "$host"; }
serves() { curl --fail --silent --max-time 10 --output /dev/null "$url/v1/plans"; }
relay_is_named() { [ -n "$relay" ] && [[ "$relay" != *//mail:* ]]; }
relay_answers() {
  local place=${relay#*://} port=25
  case $relay in smtps:*) port=465 ;; *tls=required*) port=587 ;; esac
  place=${place%%[/?]*}
  place=${place##*@}
  if [[ "$place" = *:* ]]; then port=${place##*:} place=${place%:*}; fi
  timeout 5 bash -c "</dev/tcp/$place/$port"
}
sender_is_named() { [ -n "$sender" ] && [[ "$sender" != *solvane.test* ]]; }
clock_is_set() { [ "$(timedatectl show --property NTPSynchronized --value)" = yes ]; }
disk_has_room() { [ "$(df --output=pcent . | tail -n 1 | tr -dc 0-9)" -lt 85 ]; }
company_is_named() { local name; for name in COMPANY COMPANY_ADDRESS SUPPORT_EMAIL PRIVACY_EMAIL JURISDICTION TERMS_DATE; do is_set "$name" || return; done; }
copy_is_named() { grep -q '^COPY_TO=.' "$secrets/copy.env"; }
is_set() { [ -n "$(setting "$1")" ]; }
all_are_well() {
  local states
  states=$(docker compose ps --format '{{.Service}} {{.Health}}') || return
  grep -qx 'gateway healthy' <<<"$states" && ! grep -q ' unhealthy$' <<<"$states"
}
# has_task NAME: it is installed, has not failed, and is not late.
has_task() {
  local file=deploy/compose/tasks/$1.prom at limit
  grep -q '^task_failed{.*} 0$' "$file" || return
  at=$(sed -n 's/^task_succeeded_at.* //p' "$file") limit=$(sed -n 's/^task_due_seconds.* //p' "$file")
  [ $(($(date +%s) - at)) -le "$limit" ]
}
# The relay's answer goes to our output.
sends_mail() { docker compose exec -T mailer /usr/local/bin/service send-test "$address" >&3 2>&3; }
# people ROLE NUMBER
people() {
  local found
  # shellcheck disable=SC2016 # the container expands it
  found=$(docker compose exec -T postgres bash -c \
    'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") psql -qXAt --username postgres --dbname auth' <<<"SELECT count(*) FROM users WHERE role = '$1' AND disabled_at IS NULL")
  [ "${found:-0}" -ge "$2" ]
}

url=$(setting PUBLIC_URL)
host=${url#*://}
host=${host%%[:/]*}
relay=$(setting SMTP_URL)
sender=$(setting MAIL_FROM)
address=${1:-}
exec 3>&1

check "docker compose is 2.24 or newer" "install a newer one" compose_is_recent
check "secrets are there, and closed to other users" "make secrets" secrets_are_private
check "certificates of the processes last for a month" "deploy/task.sh certificates" certificates_last
check "the clock is synchronized" "install a time service, for example systemd-timesyncd" clock_is_set
check "the disk has room" "grow it: more than 85 % are used" disk_has_room
check "PUBLIC_URL is https" "set it in .env (COMPOSE.md, TLS)" is_https
check "the name in PUBLIC_URL leads somewhere" "make a DNS record for ${host:-it}" resolves
check "the processes are well" "docker compose ps, docker compose logs NAME" all_are_well
check "the product answers at PUBLIC_URL" "look at the proxy and the firewall" serves
check "SMTP_URL names a relay" "set it in .env: codes go to the mail catcher until then" relay_is_named
check "the relay takes connections" "look at SMTP_URL and the firewall" relay_answers
[ -z "$address" ] || check "the relay takes a mail to $address" "its answer is above; look at SMTP_URL and MAIL_FROM" sends_mail
check "MAIL_FROM is yours" "set it in .env, with an address that the relay sends for" sender_is_named
check "ALERT_EMAIL is set" "set it in .env, and run the profile observe (COMPOSE.md, Alerting)" is_set ALERT_EMAIL
check "TREASURY_KEYS is set" "deposit addresses are not verified without (KEYS.md, The treasury key)" is_set TREASURY_KEYS
check "ROOTS_URL is set" "a changed database goes unnoticed without (COMPOSE.md, Signed roots)" is_set ROOTS_URL
check "copies have a place outside" "write $secrets/copy.env (BACKUP.md, Off the machine)" copy_is_named
for task in backup files copy audit certificates unhealthy; do
  check "the task $task has run in time" "deploy/timers.sh install, deploy/task.sh $task" has_task "$task"
done
check "there are two administrators" "staff add (COMPOSE.md, The first staff accounts)" people admin 2
check "there are two treasurers" "invite them on /admin" people treasurer 2
check "there is a reviewer" "invite one on /admin, a day before you open" people reviewer 1
check "pages and documents name your company" "set COMPANY, COMPANY_ADDRESS, SUPPORT_EMAIL, PRIVACY_EMAIL, JURISDICTION, TERMS_DATE in .env" company_is_named

[ "$wrong" -eq 0 ] || { echo "$wrong to do" >&2; exit 1; }
