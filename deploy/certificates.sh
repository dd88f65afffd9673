#!/usr/bin/env bash
# Makes the certificates of a deployment: an authority of its own, and one certificate for each process, PostgreSQL and
# RabbitMQ, valid for a year. Keeps existing ones until two months before they end; then makes new ones, which the
# processes use after a restart.
#
#   deploy/certificates.sh FOLDER [HOST...]      HOST: where they can be reached besides their own names
#
# Writes ca.crt, ca.key, NAME.crt and NAME.key. Other users should not be able to enter the folder: the keys are
# world-readable, because Docker mounts files with their owner and mode, and the processes run as other users.
set -euo pipefail
folder=$1
shift
. "$(dirname "$0")/keys.sh"
. "$(dirname "$0")/services.sh"
command -v openssl >/dev/null || { echo "openssl is needed" >&2; exit 1; }
umask 077
mkdir -p "$folder"
cd "$folder"

days=365
renewed_before=$((60 * 24 * 3600))

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256; }

make_authority() {
  new_key >ca.key
  openssl req -x509 -new -key ca.key -sha256 -days 3650 -subj "/CN=Solvane authority" \
    -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign,cRLSign" |
    readable ca.crt
}

# names NAME HOST...: the subject alternative names of a certificate.
names() {
  local host list="DNS:$1"
  shift
  for host; do
    if [[ $host =~ ^[0-9.]+$ || $host == *:* ]]; then list+=",IP:$host"; else list+=",DNS:$host"; fi
  done
  printf '%s' "$list"
}

# make_certificate NAME HOST...
make_certificate() {
  local name=$1
  new_key | readable "$name.key"
  openssl req -new -key "$name.key" -subj "/CN=$name" |
    openssl x509 -req -CA ca.crt -CAkey ca.key -sha256 -days "$days" -set_serial "0x$(openssl rand -hex 16)" -extfile \
      <(printf '%s\n' "subjectAltName=$(names "$@")" "basicConstraints=critical,CA:FALSE" \
        "keyUsage=critical,digitalSignature" "extendedKeyUsage=serverAuth,clientAuth") 2>/dev/null |
    readable "$name.crt"
}

lasts() { openssl x509 -in "$1" -noout -checkend "$renewed_before" >/dev/null 2>&1; }

[ -e ca.crt ] || make_authority
for name in "${processes[@]}" postgres rabbitmq; do
  if [ ! -e "$name.crt" ] || ! lasts "$name.crt"; then make_certificate "$name" "$@"; fi
done
