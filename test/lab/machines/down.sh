#!/bin/bash
# down.sh: ends the machines and all else that runs in their networks, and removes what up.sh has made. Right at any time, also
# half-way through a start, and twice.
set -uo pipefail
shopt -s nullglob
. "$(dirname "$0")/env.sh"
running() { for machine in control-plane $NODES; do ip netns pids "$NAME-$machine" 2>/dev/null; done; }
for _ in $(seq 100); do
  left=$(running)
  [ -n "$left" ] || break
  kill -KILL $left 2>/dev/null
  sleep 0.1
done
"$HERE/network.sh" down
"$HERE/cgroups.sh" down
rm -rf "$LAB"
