#!/bin/bash
# cgroups.sh up|down: a branch of our own in every hierarchy of cgroup v1, and in it one for each node.
set -euo pipefail
shopt -s nullglob
. "$(dirname "$0")/env.sh"

up() {
  for branch in "${branches[@]}"; do
    mkdir -p "$branch"
    # A branch weighs as much as ONE process beside it: by the default, 1024, all pods together had the share of one process of
    # a busy machine.
    [ ! -f "$branch/cpu.shares" ] || echo 4096 >"$branch/cpu.shares"
    for node in '' $NODES; do
      mkdir -p "$branch/$node"
      for list in cpuset.cpus cpuset.mems; do
        [ ! -f "$branch/$list" ] || cat "${branch%/*}/$list" >"$branch/$node/$list"
      done
    done
  done
}

# The processes have just been killed: until the kernel is done with them a group is busy.
down() {
  for _ in $(seq 100); do
    left=0
    for branch in "${branches[@]}"; do
      [ ! -d "$branch" ] || find "$branch" -depth -type d -exec rmdir {} + 2>/dev/null || left=1
    done
    [ "$left" = 1 ] || return 0
    sleep 0.1
  done
  echo "cgroups of $NAME are busy" >&2
  return 1
}

branches=()
for hierarchy in /sys/fs/cgroup/*/; do branches+=("$hierarchy$NAME"); done
"$1"
