#!/bin/bash
# sweep.sh PARENT: takes down every lab whose keeper was killed.
set -uo pipefail
shopt -s nullglob
for made in /run/netns/vllm-lab-* /sys/fs/cgroup/*/vllm-lab-* "$1"/vllm-lab-*; do
  keeper=${made##*/vllm-lab-}
  keeper=${keeper%%-*}
  grep -qs keep.sh "/proc/$keeper/cmdline" || LAB=$1/vllm-lab-$keeper "$(dirname "$0")/down.sh"
done
