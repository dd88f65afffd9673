#!/usr/bin/env bash
# Runs one of the tasks that an installation with docker compose repeats, and leaves how it ended for the alerts TaskFailed,
# TaskLate, BackupLate and AuditFailed. deploy/timers.sh makes the machine run them.
#
#   deploy/task.sh backup          a base backup (docs/BACKUP.md)
#   deploy/task.sh files           copies the uploaded files, and checks that none is missing
#   deploy/task.sh copy            copies both off the machine
#   deploy/task.sh audit           verifies the ledger and the other invariants
#   deploy/task.sh certificates    renews certificates that end within two months, and starts again what uses them
#   deploy/task.sh unhealthy       starts processes again that run and do not answer
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/services.sh

task=${1:-}
folder=deploy/compose/tasks

# limit: how many seconds after its last success the task is late.
case $task in
  backup | files) limit=$((26 * 3600)) ;;
  copy) limit=1800 ;;
  audit) limit=$((3 * 3600)) ;;
  certificates) limit=$((3 * 86400)) ;;
  unhealthy) limit=900 ;;
  *) sed -n '/^#   /s/^# *//p' "$0" >&2; exit 2 ;;
esac

running() { docker compose ps --services --status running; }

certificates() {
  local before after names
  before=$(cat deploy/compose/secrets/tls/*.crt | sha256sum)
  deploy/secrets.sh
  after=$(cat deploy/compose/secrets/tls/*.crt | sha256sum)
  [ "$before" != "$after" ] || return 0
  mapfile -t names < <(running)
  # Copies the new key for PostgreSQL.
  docker compose run --rm -T --no-deps postgres-files
  docker compose up --detach --no-deps --force-recreate "${names[@]}"
}

unhealthy() {
  local name
  for name in $(docker compose ps --format '{{.Service}} {{.Health}}' | sed -n 's/ unhealthy$//p'); do
    if is_process "$name"; then
      echo "$name does not answer" >&2
      docker compose restart "$name"
    fi
  done
}

run() {
  case $task in
    backup) docker compose exec -T --user postgres postgres /deploy/backup.sh /backups ;;
    files) docker compose run --rm -T files-backup && docker compose run --rm -T files-check ;;
    copy) docker compose run --rm -T copy out ;;
    audit) docker compose run --rm -T audit ;;
    *) "$task" ;;
  esac
}

# note FAILED SUCCEEDED_AT
note() {
  printf 'task_failed{task="%s"} %s\ntask_succeeded_at{task="%s"} %s\ntask_due_seconds{task="%s"} %s\n' \
    "$task" "$1" "$task" "$2" "$task" "$limit" >"$folder/$task.prom.new"
  chmod 644 "$folder/$task.prom.new"
  mv "$folder/$task.prom.new" "$folder/$task.prom"
}

# Until a task has run, it is late from the time at which its timer was installed.
if [ "${2:-}" = expected ]; then
  [ -e "$folder/$task.prom" ] || note 0 "$(date +%s)"
  exit
fi
status=0
# A new shell, because a condition would let a task go on after an error.
if [ "${2:-}" = now ]; then
  run
  exit
fi
"$0" "$task" now || status=$?
last=$(sed -n 's/^task_succeeded_at.* //p' "$folder/$task.prom" 2>/dev/null || true)
if [ "$status" -eq 0 ]; then note 0 "$(date +%s)"; else note 1 "${last:-0}"; fi
exit "$status"
