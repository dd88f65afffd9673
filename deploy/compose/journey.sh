#!/usr/bin/env bash
# The first journey on a running product, with curl: staff add a deposit address, a member registers, verifies the email
# with the emailed code, deposits with a receipt, and has the money after the review. Exits with 1 at the first
# unexpected response.
#
#   ORIGIN=http://127.0.0.1:8080 MAILS=http://MAILPIT:8025 REVIEWER=… TREASURER=… TREASURER2=… PASSWORD=… journey.sh
#
# The three are email addresses of staff without a second factor, all with the same password. With MEMBER=FILE it keeps there
# who the member is; the next time it lets this member look whether everything is still there, and deposit again.
set -euo pipefail
: "${ORIGIN:?}" "${MAILS:?}" "${REVIEWER:?}" "${TREASURER:?}" "${TREASURER2:?}" "${PASSWORD:?}"

say() { echo "journey: $*"; }

# field PATH: prints a field of the JSON on standard input, e.g. user.wallet.balance; empty if it is missing.
field() {
  node -e '
    let value = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const part of process.argv[1].split(".")) value = value?.[part];
    process.stdout.write(value === undefined || value === null ? "" : String(value));' "$1"
}

# call METHOD PATH TOKEN [BODY]: prints the body of a successful response; otherwise prints the response and exits.
call() {
  local method=$1 path=$2 token=$3 body=${4:-} arguments=() answer status
  if [ -n "$token" ]; then arguments+=(--header "Authorization: Bearer $token"); fi
  if [ -n "$body" ]; then arguments+=(--header 'Content-Type: application/json' --data "$body"); fi
  answer=$(curl --silent --show-error --max-time 30 --request "$method" --write-out '\n%{http_code}' "${arguments[@]}" \
    "$ORIGIN/v1$path")
  status=${answer##*$'\n'}
  if [[ "$status" != 2* ]]; then
    say "$method $path answered $status: ${answer%$'\n'*}" >&2
    return 1
  fi
  printf '%s' "${answer%$'\n'*}"
}

login() { call POST /auth/login "" "{\"email\":\"$1\",\"password\":\"$2\"}" | field token; }

# until_found COMMAND…: repeats the command until it prints something, for at most a minute.
until_found() {
  local end=$((SECONDS + 60)) found
  while [ "$SECONDS" -lt "$end" ]; do
    found=$("$@") || found=""
    if [ -n "$found" ]; then printf '%s' "$found"; return 0; fi
    read -r -t 0.5 <> <(:) || true
  done
  say "waited in vain for: $*" >&2
  return 1
}

# newest_mail ADDRESS: prints the text of the newest email.
newest_mail() { curl --silent --fail --max-time 5 "$MAILS/view/latest.txt?query=to:$1"; }

mailed_code() { newest_mail "$1" | grep -oE '\b[0-9]{6}\b' | head -n 1; }

confirmed_mail() { newest_mail "$1" | grep "was added to your balance" | head -n 1; }

platform_address() {
  local proposal
  treasurer=$(login "$TREASURER" "$PASSWORD")
  second=$(login "$TREASURER2" "$PASSWORD")
  proposal=$(call POST /admin/payment-methods "$treasurer" \
    '{"currency":"USDT","network":"TRC20","address":"TLVaByN5qfzUVRHnVKdgLbGmEXSPZLtWYo","label":"Tether on Tron"}' |
    field proposalId)
  call POST "/admin/proposals/$proposal/confirm" "$second" '{}' | field subjectId
}

# new_member METHOD: prints the member's email address and password.
new_member() {
  local email secret registered token code
  email="journey-$(openssl rand -hex 6)@example.com"
  secret="Journey-$(openssl rand -hex 8)"
  registered=$(call POST /auth/register "" "{\"name\":\"Jo Journey\",\"email\":\"$email\",\"phone\":\"+1 555 010 0000\",\
\"country\":\"Canada\",\"password\":\"$secret\",\"confirmPassword\":\"$secret\"}")
  token=$(field token <<<"$registered")
  code=$(until_found mailed_code "$email")
  call POST /auth/verify "$token" "{\"email\":\"$email\",\"otp\":\"$code\"}" >/dev/null
  echo "$email $secret"
}

page=$(curl --silent --show-error --fail "$ORIGIN/")
[[ "$page" == *'<div id="root"'* ]] || { say "the web app is not served" >&2; exit 1; }
say "the web app is there"

if [ -e "${MEMBER:-}" ]; then
  read -r email secret method deposits <"$MEMBER"
  token=$(login "$email" "$secret")
  say "$email logs in again"
else
  method=$(platform_address)
  say "two treasurers opened the address $method"
  read -r email secret < <(new_member)
  deposits=0
  token=$(login "$email" "$secret")
  say "$email is registered and verified by mail"
fi
is_balance() {
  local balance
  balance=$(call GET /auth/check "$token" | field user.wallet.balance)
  [ "$balance" = "$(node -p "100.5 * $1")" ] || { say "the balance is $balance after $1 deposits" >&2; exit 1; }
}
is_balance "$deposits"

receipt='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
deposit=$(call POST /transactions/deposit "$token" \
  "{\"amount\":\"100.50\",\"method\":\"$method\",\"receipt\":\"$receipt\",\"type\":\"deposit\"}" | field transaction.id)
shown=$(call GET "/transactions/$deposit" "$token" | field transaction.receipt.url)
if [[ "$shown" != http* ]]; then shown="$ORIGIN$shown"; fi
curl --silent --show-error --fail --output /dev/null "$shown"
say "deposit $deposit is requested; its receipt comes back from the store"

reviewer=$(login "$REVIEWER" "$PASSWORD")
revision=$(call GET "/admin/transactions/$deposit" "$reviewer" | field transaction.revision)
call POST "/admin/transactions/$deposit/approve" "$reviewer" \
  "{\"revision\":$revision,\"receivedAmount\":\"100.50\",\"txid\":\"$(openssl rand -hex 32)\",\"note\":\"Seen in the wallet\"}" >/dev/null
is_balance $((deposits + 1))
until_found confirmed_mail "$email" >/dev/null
[ -z "${MEMBER:-}" ] || echo "$email $secret $method $((deposits + 1))" >"$MEMBER"
say "confirmed: the balance is that of $((deposits + 1)) deposits, and the mail is there"
