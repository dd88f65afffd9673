#!/usr/bin/env bash
# Tests the running product against its API description: valid and invalid requests for every operation, generated from
# the schema, by a visitor, a member and each staff role. No response may be a 5xx or differ from the description.
# Runs under `stack e2e`, which sets STACK_URL and STACK_MAIL_DIR.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

venv=${CARGO_TARGET_DIR:-target}/contract-venv
schemathesis=$venv/bin/schemathesis
version=4.32.5
if [ "$("$schemathesis" --version 2>/dev/null)" != "schemathesis, version $version" ]; then
  python3 -m venv --clear "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" || exit 1
fi

post() {
  curl -sS "$STACK_URL/v1$1" -H 'Content-Type: application/json' ${3:+-H "Authorization: Bearer $3"} -d "$2"
}

field() {
  python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

staff_token() {
  post /auth/login "{\"email\":\"$1@solvane.test\",\"password\":\"solvane-local-staff\"}" | field token
}

# A verified member, with the emailed code.
member_token() {
  local email=contract@example.test token code=
  token=$(post /auth/register "{\"name\":\"Cora Contract\",\"email\":\"$email\",\"password\":\"correct horse battery\",\"phone\":\"+1 555 0100\",\"country\":\"Germany\"}" | field token)
  for _ in $(seq 200); do
    code=$(grep -lsr "^To:.*$email" "$STACK_MAIL_DIR" | xargs -r grep -ohE '^[0-9]{6}\b' | tail -1)
    [ -n "$code" ] && break
    sleep 0.1
  done
  post /auth/verify "{\"email\":\"$email\",\"otp\":\"$code\"}" "$token" | field success >&2
  echo "$token"
}

passed=0
failed=0
# check <caller> <token> <options…>: excludes the endless stream, operations that end the caller's session, and the parts of
# uploads (PATCH), whose bytes no schema describes.
check() {
  local caller=$1 token=$2 auth=()
  shift 2
  echo "-- $caller"
  [ -z "$token" ] || auth=(-H "Authorization: Bearer $token")
  if "$schemathesis" run gateway/openapi.json --url "$STACK_URL" "${auth[@]}" "$@" --max-examples "${CONTRACT_EXAMPLES:-10}" \
    --phases examples,coverage,fuzzing --suppress-health-check all --warnings off --no-color \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --exclude-path /v1/events --exclude-path /v1/auth/logout --exclude-method PATCH \
    --exclude-path-regex '^/v1/auth/sessions/|^/v1/admin/staff/' --continue-on-failure; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

check visitor "" --include-path-regex '^/v1/(auth|plans|courses|files)'
check member "$(member_token)" --exclude-path-regex '^/v1/admin'
for role in reviewer treasurer manager auditor admin; do
  check "$role" "$(staff_token "$role")" --include-path-regex '^/v1/admin'
done

echo "  $passed passed"
[ "$failed" -eq 0 ] || { echo "  $failed failed"; exit 1; }
