#!/bin/sh
# Writes the settings of Alertmanager from those of the product, and executes it: mail to ALERT_EMAIL, as MAIL_FROM, through
# the relay of SMTP_URL.
#
#   alertmanager.sh [ARGUMENT…]      ARGUMENT: further ones for Alertmanager
set -eu

file=${ALERTMANAGER_FILE:-/alertmanager/alertmanager.yml}

# quoted TEXT: as a string of YAML.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/''/g")"; }

# plain TEXT: without the %XX of an address.
plain() {
  rest=$1
  while :; do
    case $rest in
      *%[0-9A-Fa-f][0-9A-Fa-f]*)
        printf '%s' "${rest%%\%*}"
        rest=${rest#*%}
        code=${rest%"${rest#??}"}
        # shellcheck disable=SC2059 # an octal escape
        printf "\\$(printf '%o' "0x$code")"
        rest=${rest#??}
        ;;
      *) printf '%s' "$rest"; break ;;
    esac
  done
}

relay() {
  scheme=${SMTP_URL%%://*}
  address=${SMTP_URL#*://}
  case $address in *\?*) options=${address#*\?} ;; *) options="" ;; esac
  address=${address%%[/?]*}
  case $address in
    *@*) account=${address%@*} host=${address##*@} ;;
    *) account="" host=$address ;;
  esac
  case $scheme,$options in
    smtps,*) port=465 tls=true ;;
    smtp,*tls=required*) port=587 tls=true ;;
    smtp,*) port=25 tls=false ;;
    *) echo "SMTP_URL is not an smtp:// or smtps:// url" >&2; exit 1 ;;
  esac
  case $host in *:*) ;; *) host=$host:$port ;; esac
  echo "  smtp_smarthost: $(quoted "$host")"
  echo "  smtp_require_tls: $tls"
  if [ -n "$account" ]; then
    echo "  smtp_auth_username: $(quoted "$(plain "${account%%:*}")")"
    echo "  smtp_auth_password: $(quoted "$(plain "${account#*:}")")"
  fi
}

umask 077
{
  echo "global:"
  relay
  echo "  smtp_from: $(quoted "$MAIL_FROM")"
  cat <<'SETTINGS'
route:
  receiver: staff
  group_by: [alertname]
  group_wait: 30s
  repeat_interval: 24h
  routes:
    - {receiver: staff, matchers: ['severity = page'], group_wait: 10s, repeat_interval: 1h}
receivers:
  - name: staff
SETTINGS
  if [ -n "$ALERT_EMAIL" ]; then
    echo "    email_configs: [{to: $(quoted "$ALERT_EMAIL"), send_resolved: true}]"
  else
    echo "ALERT_EMAIL is not set: no alerts are sent" >&2
  fi
} >"$file"
exec "${ALERTMANAGER:-/bin/alertmanager}" --config.file="$file" --storage.path="$(dirname "$file")" --cluster.listen-address= \
  --web.external-url="$PUBLIC_URL" "$@"
