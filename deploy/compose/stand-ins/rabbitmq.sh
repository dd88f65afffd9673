#!/bin/sh
# Executes the node as the user of its data.
set -eu
chown -R rabbitmq: /var/lib/rabbitmq
exec setpriv --reuid rabbitmq --regid rabbitmq --init-groups env RUNNING_UNDER_SYSTEMD=true RABBITMQ_LOG_BASE=/tmp \
  /usr/lib/rabbitmq/bin/rabbitmq-server
