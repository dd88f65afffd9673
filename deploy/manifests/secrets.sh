# The manifests of secrets, for deploy/manifests.sh; sourced in deploy.
# shellcheck shell=bash
# shellcheck disable=SC2154 # services.sh sets the lists of processes

by_hand() { grep -qx "  name: $1" components/external-secrets/secrets.yaml; }

# secret NAME: an ExternalSecret with the standard input as the rest of its spec.
secret() {
  cat <<YAML
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: $1
spec:
  refreshInterval: 15m
  secretStoreRef: {kind: ClusterSecretStore, name: solvane}
YAML
  cat
}
# login NAME ROLE: a secret with the name and password of a role of the databases.
login() {
  secret "$1" <<YAML
  target:
    template:
      # CloudNativePG sets the new password at once.
      metadata: {labels: {cnpg.io/reload: "true"}}
      type: kubernetes.io/basic-auth
      data:
        username: "$2"
        password: "{{ .password }}"
  data:
    - {secretKey: password, remoteRef: {key: solvane/database, property: $2}}
YAML
}

# Addresses with passwords: clients verify the certificate of the server.
# url_of ROLE FIELD DATABASE
url_of() { printf 'postgres://%s:{{ .%s }}@postgres-rw:5432/%s?sslmode=verify-full&sslrootcert=/run/tls/ca.crt' "$1" "$2" "$3"; }
broker_of() { printf 'amqps://%s:{{ .broker }}@rabbitmq:5671/solvane' "$1"; }

# environment NAME: the secret with the environment of a process. The standard input has a line for each variable: its
# name and its value; and one for each field in the values: its name, the key and the property in the store.
environment() {
  local name=$1 word rest variables="" fields=""
  while read -r word rest; do
    if [[ $word =~ ^[A-Z] ]]; then
      variables+="        $word: \"$rest\""$'\n'
    else
      fields+="    - {secretKey: $word, remoteRef: {key: ${rest% *}, property: ${rest#* }}}"$'\n'
    fi
  done
  printf '  target:\n    template:\n      data:\n%s  data:\n%s' "$variables" "$fields" | secret "$name"
}
# The account at an object store, files or roots.
account_of() {
  printf '%s\n' 'AWS_ACCESS_KEY_ID {{ .id }}' 'AWS_SECRET_ACCESS_KEY {{ .secret }}' \
    "id $1 access_key_id" "secret $1 secret_access_key"
}

secrets_of_process() {
  by_hand "$1-keys" || secret "$1-keys" <<YAML
  data:
    - {secretKey: service.key, remoteRef: {key: solvane/keys, property: $1}}
YAML
}

secrets_of_service() {
  local name=$1 role
  role=$(database "$1")
  {
    printf '%s\n' "DATABASE_URL $(url_of "$role" database "$role")" "database solvane/database $role" \
      "AMQP_URL $(broker_of "$name")" "broker solvane/broker $name"
    if [ "$name" = mailer ]; then printf '%s\n' 'SMTP_URL {{ .smtp }}' 'smtp solvane/mailer smtp_url'; fi
    account_of solvane/roots
  } | environment "$name-environment"
  printf '%s\n' "DATABASE_URL $(url_of "${role}_owner" database "$role")" "database solvane/database ${role}_owner" |
    environment "$name-owner"
  login "database-$name" "$role"
  login "database-$name-owner" "${role}_owner"
}

secret_of_gateway() {
  {
    printf '%s\n' "AMQP_URL $(broker_of gateway)" 'broker solvane/broker gateway'
    account_of solvane/store
  } | environment gateway-environment
}

# The media worker has a role that sees the rows of files alone, and no account at the broker.
secret_of_worker() {
  {
    printf '%s\n' "DATABASE_URL $(url_of course_worker database course)" 'database solvane/database course_worker'
    account_of solvane/store
  } | environment course-worker-environment
  login database-course-worker course_worker
}

# The audit reads every database with a role that changes nothing.
secret_of_audit() {
  local name role
  {
    for name in "${services[@]}"; do
      role=$(database "$name")
      printf '%s_DATABASE_URL %s\n' "${role^^}" "$(url_of auditor auditor "$role")"
    done
    printf 'auditor solvane/database auditor\n'
  } | environment audit-environment
  account_of solvane/roots | environment audit-roots
  login database-auditor auditor
}
