#!/usr/bin/env bash
# Generates all secrets of a deployment: passwords, signing keys, certificates, and the files that contain them. Keeps
# existing ones, so a second run changes nothing, and a new service or user only gets what is missing. Only certificates
# that end within two months are replaced. It writes the files *.env again each time, except own.env and copy.env, which are
# the operator's; deploy/rotate-password.sh changes passwords.
#
#   deploy/secrets.sh [FOLDER]      default: deploy/compose/secrets
#
# Other users cannot enter the folder. The files that containers read are world-readable, because Docker mounts files
# with their owner and mode, and the processes run as other users.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-deploy/compose/secrets}
. deploy/keys.sh
. deploy/services.sh
scripts=$PWD/deploy
databases=("${services[@]//-/_}")
command -v openssl >/dev/null || { echo "openssl is needed" >&2; exit 1; }
umask 077
mkdir -p "$folder/keys"
chmod 700 "$folder"
chmod 755 "$folder/keys"
cd "$folder"

random() { openssl rand -hex 20; }
# password NAME: the password with that name, generated the first time.
password() {
  if [ -e passwords ] && grep -q "^$1 " passwords; then
    sed -n "s/^$1 //p" passwords
  else
    local fresh
    fresh=$(random)
    printf '%s %s\n' "$1" "$fresh" >>passwords
    printf '%s\n' "$fresh"
  fi
}

make_keys() {
  local service secret
  for secret in code link totp push; do
    [ -e "keys/$secret.key" ] || openssl rand 32 | base64url | readable "keys/$secret.key"
  done
  [ -e keys/trusted.json ] || echo '[]' | readable keys/trusted.json
  missing_key token member auth
  for service in "${processes[@]}"; do
    missing_key "$service" service "$service"
  done
  missing_key decision service decisions
}

# missing_key KEY USE SIGNER: a new key pair whose public half is trusted, unless there is one.
missing_key() {
  if [ ! -e "keys/$1.key" ]; then trust "$(signing_key "$@")"; fi
}

# The hash format of RabbitMQ: four bytes of salt, then SHA-256 over salt and password.
password_hash() {
  local salt
  salt=$(openssl rand -hex 2)
  { printf '%s' "$salt"; printf '%s%s' "$salt" "$1" | openssl dgst -sha256 -binary; } | openssl base64 -A
}

# Every process declares the whole topology, so each needs access to these names, but may publish only its own events.
broker_definitions() {
  local service user names='^(events|events\\.dead|(mailer|wallet)\\.events(\\.dead)?)$'
  local live='^(events|events\\.dead|(mailer|wallet)\\.events(\\.dead)?|amq\\.gen-.*)$'
  local users="" permissions="" topics="" comma="" used
  for service in "${processes[@]}"; do
    user=$(printf '{"name":"%s","password_hash":"%s","hashing_algorithm":"rabbit_password_hashing_sha256","tags":""}' \
      "$service" "$(password_hash "$(password "broker:$service")")")
    used=$names
    if [ "$service" = gateway ]; then used=$live; fi
    users+="$comma$user"
    permissions+="$comma{\"user\":\"$service\",\"vhost\":\"solvane\",\"configure\":\"$used\",\"write\":\"$used\",\"read\":\"$used\"}"
    topics+="$comma{\"user\":\"$service\",\"vhost\":\"solvane\",\"exchange\":\"events\",\"write\":\"^${service//-/_}\\\\.v1\\\\.\",\"read\":\".*\"}"
    comma=","
  done
  # The broker refuses permissions for an exchange that does not exist: from 4.3 on it does not start.
  printf '{"users":[%s],"vhosts":[{"name":"solvane"}],"exchanges":[%s],"permissions":[%s],"topic_permissions":[%s],"policies":[%s,%s]}\n' \
    "$users" \
    '{"name":"events","vhost":"solvane","type":"topic","durable":true,"auto_delete":false,"internal":false,"arguments":{}}' \
    "$permissions" "$topics" \
    '{"vhost":"solvane","name":"delivery-limit","pattern":"\\.events$","apply-to":"queues","priority":0,"definition":{"delivery-limit":100}}' \
    '{"vhost":"solvane","name":"dead-letters-stay","pattern":"\\.events\\.dead$","apply-to":"queues","priority":0,"definition":{"delivery-limit":1000000000}}'
}

store_user() {
  printf '{"name":"%s","credentials":[{"accessKey":"solvane-%s","secretKey":"%s"}],"actions":[%s]}' \
    "$1" "$1" "$(password "store:$1")" "$2"
}

store_account() { printf 'AWS_ACCESS_KEY_ID=solvane-%s\nAWS_SECRET_ACCESS_KEY=%s\n' "$1" "$(password "store:$1")"; }

# database_url ROLE DATABASE: clients verify the server's certificate.
database_url() {
  printf 'postgres://%s:%s@postgres:5432/%s?sslmode=verify-full&sslrootcert=/run/tls/ca.crt' \
    "$1" "$(password "database:$1")" "$2"
}

# The environment of one service, with its own secrets.
service_environment() {
  local service=$1 database=${1//-/_}
  if [ "$service" != gateway ]; then
    printf 'DATABASE_URL=%s\n' "$(database_url "$database" "$database")"
  fi
  printf 'AMQP_URL=amqps://%s:%s@rabbitmq:5671/solvane\n' "$service" "$(password "broker:$service")"
  if [ "$service" = gateway ]; then store_account gateway; fi
}

# secret NAME FILE…: a secret of Kubernetes with these files, which may be named [key=]file.
secret() {
  local name=$1 files
  shift
  files=$(printf '%s, ' "$@")
  printf '  - {name: %s, files: [%s]}\n' "$name" "${files%, }"
}
environment_secret() { printf '  - {name: %s, envs: [%s]}\n' "$1" "$2"; }

# How kustomize makes the secrets of a cluster of the files.
kustomization() {
  local name
  local -A more=(
    [auth]="token.key=keys/token.key decision.key=keys/decision.key code.key=keys/code.key totp.key=keys/totp.key"
    [gateway]="link.key=keys/link.key"
    [mailer]="push.key=keys/push.key"
  )
  printf 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nsecretGenerator:\n'
  for name in "${processes[@]}"; do
    environment_secret "$name-environment" "$name.env"
    # shellcheck disable=SC2086 # several files
    secret "$name-keys" "service.key=keys/$name.key" ${more[$name]:-}
  done
  environment_secret course-worker-environment course-worker.env
  for name in "${services[@]}"; do environment_secret "$name-owner" "$name-owner.env"; done
  for name in "${processes[@]}" postgres rabbitmq; do
    secret "$name-tls" ca.crt=tls/ca.crt "tls.crt=tls/$name.crt" "tls.key=tls/$name.key"
  done
  secret trusted-keys trusted.json=keys/trusted.json
  secret postgres-passwords postgres-password database-passwords
  secret rabbitmq-definitions definitions.json=rabbitmq-definitions.json
  secret store-users users.json=store-users.json
}

make_keys
"$scripts/certificates.sh" "$PWD/tls"
chmod 755 tls
password database:postgres | readable postgres-password
password grafana:admin | readable grafana-password
# Copies off the machine are encrypted with it.
password copy:files | readable copy-password
{
  for database in "${databases[@]}"; do
    printf '%s %s\n%s_owner %s\n' "$database" "$(password "database:$database")" \
      "$database" "$(password "database:${database}_owner")"
  done
  for database in course_worker auditor monitor; do printf '%s %s\n' "$database" "$(password "database:$database")"; done
} | readable database-passwords
# Written again only for a new service, a new password or a new object: each time, the salts of the passwords differ.
for part in "${processes[@]/#/\"user\":\"}" '"exchanges":' '"dead-letters-stay"'; do
  grep -qsF "$part" rabbitmq-definitions.json || {
    broker_definitions | readable rabbitmq-definitions.json
    break
  }
done
# The account for copying the files is read-only.
printf '{"identities":[%s,%s,%s]}\n' \
  "$(store_user gateway '"Read:solvane-files","Write:solvane-files"')" \
  "$(store_user course-worker '"Read:solvane-files","Write:solvane-files","List:solvane-files"')" \
  "$(store_user backup '"Read:solvane-files","List:solvane-files"')" | readable store-users.json
store_account backup >store-backup.env
for service in "${processes[@]}"; do
  service_environment "$service" >"$service.env"
done
{
  printf 'DATABASE_URL=%s\n' "$(database_url course_worker course)"
  store_account course-worker
} >course-worker.env
for database in "${databases[@]}"; do
  printf 'DATABASE_URL=%s\n' "$(database_url "${database}_owner" "$database")" >"${database//_/-}-owner.env"
done
{
  for database in "${databases[@]}"; do
    printf '%s_DATABASE_URL=%s\n' "$(tr '[:lower:]' '[:upper:]' <<<"$database")" "$(database_url auditor "$database")"
  done
} >audit.env
printf 'DATA_SOURCE_NAME=%s\n' "$(database_url monitor postgres)" >monitor.env
[ -e copy.env ] || cat >copy.env <<'TEXT'
# Yours: where deploy/copy.sh copies backups and files to, as rclone's remote "away" (docs/BACKUP.md). Make secrets never
# writes this file again.
# COPY_TO=bucket/folder
# RCLONE_CONFIG_AWAY_TYPE=s3
# RCLONE_CONFIG_AWAY_PROVIDER=AWS
# RCLONE_CONFIG_AWAY_REGION=eu-central-1
# RCLONE_CONFIG_AWAY_ACCESS_KEY_ID=
# RCLONE_CONFIG_AWAY_SECRET_ACCESS_KEY=
TEXT
[ -e own.env ] || cat >own.env <<'TEXT'
# Yours: make secrets never writes this file again. What stands here is for the gateway and the media worker, and outweighs
# gateway.env and course-worker.env: the keys of an object store of your own, for example.
# AWS_ACCESS_KEY_ID=
# AWS_SECRET_ACCESS_KEY=
TEXT
kustomization >kustomization.yaml
chmod 600 ./*.env passwords
echo "the secrets are in $folder"
