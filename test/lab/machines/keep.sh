#!/bin/bash
# keep.sh PARENT: keeps one lab, in a folder of its own in PARENT, and takes it down when its standard input closes, which it
# does however the run of the tests ends. Says `folder FOLDER`; a line on standard input then starts the lab, whose timeline
# ends with `up` or `failed`.
set -uo pipefail
set -m # every job is a process group, so that a start can be ended with all that it has started
trap '' PIPE HUP INT TERM
export LAB=$1/vllm-lab-$$
. "$(dirname "$0")/env.sh"

"$HERE/sweep.sh" "$1"
mkdir -p "$LAB"
echo "folder $LAB"
if read -r _; then
  ("$HERE/up.sh" 2>"$LAB/up.log" && echo up || echo failed) &
  while read -r _; do :; done
  kill -KILL -- "-$!" 2>/dev/null
fi
"$HERE/down.sh"
