#!/usr/bin/python3
"""What the compose file uses of SeaweedFS: `server` serves S3 from memory, `shell` makes the buckets it is told."""
import re
import sys
import urllib.request

if sys.argv[1] == "server":
    from flask import Response
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import run_simple

    app = DomainDispatcherApplication(create_backend_app)

    def with_health(environ, start_response):
        answer = Response("ok") if environ["PATH_INFO"] == "/healthz" else app
        return answer(environ, start_response)

    run_simple("0.0.0.0", 8333, with_health, threaded=True)
elif sys.argv[1] == "shell":
    for name in re.findall(r"s3\.bucket\.create -name (\S+)", sys.stdin.read()):
        request = urllib.request.Request(f"http://store:8333/{name}", method="PUT")
        urllib.request.urlopen(request, timeout=10).read()
else:
    sys.exit(f"unknown command {sys.argv[1]}")
