#!/bin/bash
# network.sh up|down: a network namespace for each machine, a bridge between them in the control plane's, and routes between
# the pods of the nodes. The machine that all this runs on gets no link, no route and no rule.
set -euo pipefail
. "$(dirname "$0")/env.sh"

down() {
  for machine in control-plane $NODES; do ip netns del "$NAME-$machine" 2>/dev/null || true; done
  # ip has made a mount of this folder at its first use.
  [ ! -e "$LAB/first-networks" ] || rmdir_mounted /run/netns || true
}
rmdir_mounted() { [ -z "$(ls "$1")" ] && umount "$1" && rmdir "$1"; }

up() {
  mountpoint -q /run/netns || touch "$LAB/first-networks"
  for machine in control-plane $NODES; do
    ip netns add "$NAME-$machine"
    ip -n "$NAME-$machine" link set lo up
  done
  ip -n "$NAME-control-plane" link add bridge type bridge
  ip -n "$NAME-control-plane" addr add "$CONTROL_PLANE/24" dev bridge
  ip -n "$NAME-control-plane" link set bridge up
  for node in $NODES; do plug_in "$node"; done
  # Services, as the tests see them, by the rules of the first node.
  ip -n "$NAME-control-plane" route add "$SERVICES" via "$(address_of "${NODES%% *}")"
}

plug_in() {
  ip -n "$NAME-control-plane" link add "to-$1" type veth peer name eth0 netns "$NAME-$1"
  ip -n "$NAME-control-plane" link set "to-$1" master bridge up
  ip -n "$NAME-control-plane" route add "$(pods_of "$1")" via "$(address_of "$1")"
  ip -n "$NAME-$1" addr add "$(address_of "$1")/24" dev eth0
  ip -n "$NAME-$1" link set eth0 up
  # Leads nowhere: the control plane's machine forwards nothing. But a node wants one.
  ip -n "$NAME-$1" route add default via "$CONTROL_PLANE"
  in_network "$1" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
  for other in $NODES; do
    [ "$other" = "$1" ] || ip -n "$NAME-$1" route add "$(pods_of "$other")" via "$(address_of "$other")"
  done
}

"$1"
