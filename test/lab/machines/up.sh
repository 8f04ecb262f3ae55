#!/bin/bash
# up.sh: from nothing to a cluster of two nodes that takes pods.
set -euo pipefail
export STARTED=$(date +%s%N)
. "$(dirname "$0")/env.sh"

# Every wait has an end: a daemon that has gone says nothing by itself.
until_() {
  local what=$1
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((($(date +%s%N) - STARTED) / 1000000000)) -lt 180 ] || { say "waited in vain for: $what"; exit 1; }
    sleep 0.2
  done
  say "$what"
}
nodes_ready() {
  local states
  states=$(kubectl get nodes -o 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}')
  [ "$states" = "$(sed 's/[^ ]\+/True/g' <<<"$NODES")" ]
}

"$LAB/bin/control-plane" pki "$KEYS" "$CONTROL_PLANE:6443" $NODES
"$HERE/network.sh" up
"$HERE/cgroups.sh" up
"$HERE/machine.sh" control-plane control-plane.sh
for node in $NODES; do "$HERE/machine.sh" "$node" node.sh; done
say 'three machines run'
until_ 'the API server is ready' kubectl get --raw /readyz
until_ 'both nodes are Ready' nodes_ready
until_ 'the controllers work' kubectl get --raw /api/v1/namespaces/default/serviceaccounts/default
until_ 'CoreDNS is ready' in_network control-plane bash -c 'exec 3<>/dev/tcp/127.0.0.1/8181; printf "GET /ready HTTP/1.0\r\n\r\n" >&3; grep -q " 200 " <&3'
until_ 'the webhooks of LWS listen' in_network control-plane bash -c ': </dev/tcp/127.0.0.1/9443'
