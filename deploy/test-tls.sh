#!/usr/bin/env bash
# Tests TLS on one machine (deploy/compose/Caddyfile) with Debian's Caddy and a stand-in for the gateway: HTTP/2, a redirect,
# the true address of the client no matter what it claims, live updates as they come, and the parts of videos.
#
#   deploy/test-tls.sh
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
port=$((20000 + RANDOM % 10000))
started=()

fail() { echo "$*" >&2; cat "$folder/caddy.log" >&2; exit 1; }

finish() {
  local status=$?
  trap - EXIT
  for id in "${started[@]}"; do kill "$id" 2>/dev/null || true; done
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

cat >"$folder/gateway.py" <<'PYTHON'
import http.server, sys, threading

class Gateway(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        if self.path == "/v1/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"data: first\n\n")
            self.wfile.flush()
            threading.Event().wait(60)
        else:
            self.answer(self.headers.get("X-Forwarded-For", "") + " " + self.headers.get("X-Forwarded-Proto", ""))

    def do_PATCH(self):
        left = int(self.headers["Content-Length"])
        while left and (part := self.rfile.read(min(left, 65536))):
            left -= len(part)
        self.answer(str(left))

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Gateway).serve_forever()
PYTHON
python3 "$folder/gateway.py" "$port" &
started+=($!)
# The test may not have the usual ports.
sed "s/^\tadmin off/&\n\thttp_port $((port + 2))/" deploy/compose/Caddyfile >"$folder/Caddyfile"
origin=https://localhost:$((port + 1))
HOME=$folder XDG_DATA_HOME=$folder/data XDG_CONFIG_HOME=$folder/config PUBLIC_URL=$origin GATEWAY=127.0.0.1:$port \
  caddy run --config "$folder/Caddyfile" --adapter caddyfile 2>"$folder/caddy.log" &
started+=($!)

authority=$folder/data/caddy/pki/authorities/local/root.crt
ask() { curl --silent --show-error --max-time 20 --cacert "$authority" "$@"; }
end=$((SECONDS + 30))
until ask --fail "$origin/" >/dev/null 2>&1; do
  [ "$SECONDS" -lt "$end" ] || fail "Caddy does not serve"
  read -r -t 0.2 <> <(:) || true
done
[[ "$(ask --header 'X-Forwarded-For: 192.0.2.1' "$origin/")" =~ ^(127.0.0.1|::1)\ https$ ]] || fail "a client says where it is"
[ "$(ask --output /dev/null --write-out '%{http_version}' "$origin/")" = 2 ] || fail "no HTTP/2"
# The answer does not end within a minute: what comes before is passed on at once.
read -r -t 20 updates < <(exec curl --silent --no-buffer --max-time 30 --cacert "$authority" "$origin/v1/events") || true
started+=($!)
[ "${updates:-}" = 'data: first' ] || fail "live updates are held back"
head -c $((16 * 1024 * 1024)) /dev/zero >"$folder/part"
[ "$(ask --request PATCH --data-binary "@$folder/part" "$origin/v1/uploads")" = 0 ] || fail "a part of a video does not pass"
[ "$(curl --silent --output /dev/null --write-out '%{http_code}' "http://localhost:$((port + 2))/")" = 308 ] || fail "no redirect"
echo "TLS, addresses, live updates and uploads pass Caddy"
