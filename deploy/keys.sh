# Functions that write the keys of a deployment; sourced by secrets.sh and rotate-key.sh in the folder of the secrets.
# shellcheck shell=bash

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# readable NAME: writes standard input to a file atomically.
readable() {
  cat >"$1.new"
  chmod 444 "$1.new"
  mv -f "$1.new" "$1"
}

# signing_key KEY USE SIGNER [FILE]: an Ed25519 key pair in keys/FILE (KEY.key); the public half is printed as an entry
# of trusted.json.
signing_key() {
  local der kid
  kid="$1-$(openssl rand 6 | base64url)"
  der=$(openssl genpkey -algorithm ed25519 -outform DER | base64url)
  printf '{"kid":"%s","pkcs8":"%s"}' "$kid" "$der" | readable "keys/${4:-$1.key}"
  printf '{"kid":"%s","use":"%s","name":"%s","x":"%s"}' "$kid" "$2" "$3" "$(public_half "$der")"
}

# The entries of trusted.json, one per line.
entries() { tr -d ' \n' <keys/trusted.json | sed 's/^\[//; s/\]$//; s/},{/}\n{/g'; }
join_entries() { { printf '['; paste -sd, -; } | tr -d '\n' | sed 's/$/]/'; }
# trust ENTRY: adds a public key to trusted.json.
trust() { { entries; echo; printf '%s\n' "$1"; } | sed '/^$/d' | join_entries | readable keys/trusted.json; }

# public_half DER: the last 32 bytes of the public key's DER form are the key itself.
public_half() {
  local padded=$1
  while [ $((${#padded} % 4)) -ne 0 ]; do padded+="="; done
  printf '%s' "$padded" | tr -- '-_' '+/' | openssl base64 -d -A |
    openssl pkey -inform DER -pubout -outform DER | tail -c 32 | base64url
}
