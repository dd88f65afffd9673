#!/bin/sh
# Executes the node as the user of its data: as root by changing to it.
set -eu
as_rabbitmq=
if [ "$(id -u)" = 0 ]; then
  chown -R rabbitmq: /var/lib/rabbitmq
  as_rabbitmq="setpriv --reuid rabbitmq --regid rabbitmq --init-groups"
fi
# shellcheck disable=SC2086 # several arguments in one variable
exec $as_rabbitmq env RUNNING_UNDER_SYSTEMD=true RABBITMQ_LOG_BASE=/tmp /usr/lib/rabbitmq/bin/rabbitmq-server
