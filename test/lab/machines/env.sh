# Sourced by every script here. LAB is the folder of one run, and its last word is the number of the process that keeps it:
# everything that a run makes has that number in its name.
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${LAB:?the folder of the run}"
NAME=vllm-lab-${LAB##*-}       # of network namespaces, with -control-plane, -n1 and -n2 behind it, and of our cgroups
KEYS=$LAB/keys
NODES='n1 n2'
CONTROL_PLANE=10.250.0.1       # address of the control plane's machine
SERVICES=10.96.0.0/16
PODS=10.244.0.0/16
CNI=/usr/lib/cni               # where Debian has the plugins

address_of() { echo "10.250.0.1${1#n}"; }      # n1: 10.250.0.11
pods_of()    { echo "10.244.${1#n}.0/24"; }
in_network() { local machine=$1; shift; nsenter --net="/run/netns/$NAME-$machine" "$@"; }
kubectl()    { in_network control-plane "$LAB/bin/kubectl" --kubeconfig="$KEYS/admin.kubeconfig" "$@"; }
# A line of the timeline, in milliseconds since the start.
say()        { echo "at $((($(date +%s%N) - STARTED) / 1000000)) $*"; }
