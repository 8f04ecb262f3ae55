#!/bin/bash
# machine.sh NAME SCRIPT: starts SCRIPT in a machine made of namespaces, with a network, mounts, processes, a host name and
# IPC of its own. Killing its first process ends it, as pulling the plug does: the kernel kills all that run in it and drops
# its mounts. What it has on disk stays in LAB/NAME.
set -euo pipefail
. "$(dirname "$0")/env.sh"
machine=$1
mkdir -p "$LAB/$machine"
setsid nsenter --net="/run/netns/$NAME-$machine" \
  unshare --mount --propagation private --pid --fork --kill-child=KILL --uts --ipc \
  bash "$HERE/init.sh" "$machine" "$2" </dev/null >"$LAB/$machine/init.log" 2>&1 &
outer=$!
# Its first process, as it is known out here.
for _ in $(seq 200); do
  first=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null) || true
  [ -z "$first" ] || { echo "${first%% *}" >"$LAB/$machine/pid"; exit 0; }
  sleep 0.05
done
echo "machine $machine did not start" >&2
exit 1
