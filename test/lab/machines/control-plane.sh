#!/bin/bash
# control-plane.sh NAME: the control plane, CoreDNS and the controller of LWS, in their machine.
set -euo pipefail
. "$(dirname "$0")/env.sh"
own=$LAB/$1
export PATH=$LAB/bin:$PATH KUBECONFIG=$KEYS/admin.kubeconfig
unset -f kubectl # this is its network already
run() { local log=$own/$1.log; ("$@" >"$log" 2>&1; echo "$1 ended with $?" >>"$log") & }
as() { echo "--kubeconfig=$KEYS/$1.kubeconfig"; }

run etcd --data-dir=/run/etcd --log-level=warn --unsafe-no-fsync
run kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --advertise-address="$CONTROL_PLANE" \
  --tls-cert-file="$KEYS/tls.crt" --tls-private-key-file="$KEYS/tls.key" --client-ca-file="$KEYS/ca.crt" \
  --kubelet-client-certificate="$KEYS/apiserver-kubelet.crt" --kubelet-client-key="$KEYS/apiserver-kubelet.key" \
  --kubelet-preferred-address-types=InternalIP --service-account-issuer=https://kubernetes.default.svc \
  --service-account-key-file="$KEYS/sa.key" --service-account-signing-key-file="$KEYS/sa.key" \
  --service-cluster-ip-range="$SERVICES" --allow-privileged=true \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction
until kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.1; done

# Only now: both give up when the API server has not made its first roles yet.
run kube-controller-manager "$(as kube-controller-manager)" --use-service-account-credentials --leader-elect=false --secure-port=0 \
  --service-account-private-key-file="$KEYS/sa.key" --root-ca-file="$KEYS/ca.crt" --flex-volume-plugin-dir="$own/flex" \
  --kube-api-qps=200 --kube-api-burst=400
run kube-scheduler "$(as kube-scheduler)" --leader-elect=false --secure-port=0

# The second block is the world outside, in which no name exists. Without it a program that looks up a short name is told of a
# failure at the last of its tries, where in other clusters it is told that there is no such name.
cat >"$own/Corefile" <<C
cluster.local:53 in-addr.arpa:53 {
  bind $CONTROL_PLANE
  errors
  ready 127.0.0.1:8181
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $KEYS/admin.kubeconfig
    ttl 5
  }
  cache 5
}
.:53 {
  bind $CONTROL_PLANE
  template ANY ANY . {
    rcode NXDOMAIN
  }
}
C
run coredns -conf "$own/Corefile"

kubectl apply --server-side -f "$LAB/shared/crds" >"$own/crds.log" 2>&1
run lws --config="$LAB/shared/lws.json" "$(as admin)"
wait
