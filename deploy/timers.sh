#!/usr/bin/env bash
# Makes systemd run the tasks of deploy/task.sh in this folder, by the timers of deploy/timers. Run it again after a change.
#
#   deploy/timers.sh install [FOLDER]      default: /etc/systemd/system, as root
#   deploy/timers.sh remove
set -euo pipefail
cd "$(dirname "$0")/.."

units=${2:-/etc/systemd/system}
timers=(deploy/timers/*.timer)

case ${1:-} in
  install)
    sed "s|@FOLDER@|$PWD|" deploy/timers/solvane-task@.service >"$units/solvane-task@.service"
    for timer in "${timers[@]}"; do
      cp "$timer" "$units/"
      task=$(sed -n 's/^Unit=solvane-task@\(.*\)\.service$/\1/p' "$timer")
      deploy/task.sh "$task" expected
    done
    [ "$units" = /etc/systemd/system ] || exit 0
    systemctl daemon-reload
    systemctl enable --now "${timers[@]##*/}"
    ;;
  remove)
    systemctl disable --now "${timers[@]##*/}"
    rm -f "${timers[@]/#*\//$units/}" "$units/solvane-task@.service"
    systemctl daemon-reload
    rm -f deploy/compose/tasks/*.prom
    ;;
  *)
    sed -n '/^#   /s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
