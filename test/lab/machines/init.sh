#!/bin/bash
# init.sh NAME SCRIPT: first process of a machine. Two of each daemon would meet in /run, /var/lib and /var/log, so a machine
# has these for itself, at their usual paths.
set -euo pipefail
. "$(dirname "$0")/env.sh"
own=$LAB/$1
hostname "$1"
mount --make-rprivate /
mkdir -p "$own"/{lib,log,cgroup}
mount -t proc proc /proc
# A new sysfs shows the devices of this network; the cgroups move over to it.
mount --rbind /sys/fs/cgroup "$own/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$own/cgroup" /sys/fs/cgroup
umount -l "$own/cgroup"
mount --bind "$own/lib" /var/lib
mount --bind "$own/log" /var/log
mount -t tmpfs -o mode=755,size=256m tmpfs /run
mkdir -p /run/lock /run/shown

# The kernel has one set of these. kubelet wants to write some, and gets files in their place; of memory it is shown what
# the instance type has that the node stands for.
show() {
  mkdir -p "$(dirname "/run/shown/$1")"
  cat >"/run/shown/$1"
  mount --bind "/run/shown/$1" "/proc/$1"
}
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1; do
  echo "${setting#*=}" | show "sys/${setting%=*}"
done
sed "s/^MemTotal: .*/MemTotal: $NODE_MEMORY_KIB kB/" /proc/meminfo | show meminfo

mount --make-rshared /
bash "$HERE/$2" "$1" &
wait $! || true
# The logs may still be wanted, and what runs may run on: a machine ends by being killed.
exec sleep infinity
