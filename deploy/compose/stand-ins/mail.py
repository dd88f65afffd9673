#!/usr/bin/python3
"""What the test uses of Mailpit: SMTP on 1025, and on 8025 the newest mail's text at /view/latest.txt?query=to:ADDRESS."""
import email
import email.policy
import http.server
import urllib.parse

from aiosmtpd.controller import Controller

mails = []


class Catch:
    async def handle_DATA(self, server, session, envelope):
        mails.append((envelope.rcpt_tos, email.message_from_bytes(envelope.content, policy=email.policy.default)))
        return "250 kept"


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/readyz":
            self.send_response(200)
            return self.end_headers()
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("query", [""])[0]
        wanted = [term.removeprefix("to:").strip('"') for term in query.split() if term.startswith("to:")]
        found = [mail for to, mail in mails if all(address in to for address in wanted)]
        self.send_response(200 if found else 404)
        self.end_headers()
        if found:
            self.wfile.write(found[-1].get_body(("plain",)).get_content().encode())


Controller(Catch(), hostname="0.0.0.0", port=1025).start()
http.server.ThreadingHTTPServer(("0.0.0.0", 8025), Page).serve_forever()
