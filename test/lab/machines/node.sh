#!/bin/bash
# node.sh NAME: containerd, kubelet and kube-proxy of one node, in its machine.
set -euo pipefail
. "$(dirname "$0")/env.sh"
node=$1 own=$LAB/$1
export PATH=$LAB/bin:$PATH
mkdir -p "$own/cni" "$own/etc"
run() { local log=$own/$1.log; ("$@" >>"$log" 2>&1; echo "$1 ended with $?" >>"$log") & }

cat >"$own/cni/10-lab.conflist" <<C
{
  "cniVersion": "1.0.0",
  "name": "lab",
  "plugins": [
    {
      "type": "bridge",
      "bridge": "cni0",
      "isGateway": true,
      "hairpinMode": true,
      "ipam": {
        "type": "host-local",
        "ranges": [[{ "subnet": "$(pods_of "$node")" }]],
        "routes": [{ "dst": "0.0.0.0/0" }]
      }
    }
  ]
}
C
cat >"$own/etc/containerd.toml" <<C
version = 3
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.nri.v1.nri",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.erofs",
]
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "docker.io/lab/base:1"
[plugins."io.containerd.cri.v1.runtime"]
  # Without CAP_SYS_RESOURCE nothing can be made less likely to be killed than the one that starts it.
  restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  base_runtime_spec = "$LAB/shared/spec.json"
[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["$CNI"]
  conf_dir = "$own/cni"
C
run containerd --config "$own/etc/containerd.toml"
until ctr version >/dev/null 2>&1; do sleep 0.1; done
# By name, and before kubelet asks: no registry is at hand.
ctr --namespace k8s.io images import --local "$LAB/shared/images.tar" >>"$own/images.log" 2>&1

: >"$own/etc/resolv.conf"
cat >"$own/etc/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$NAME/$node
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: $KEYS/ca.crt } }
authorization: { mode: Webhook }
clusterDNS: [$CONTROL_PLANE]
clusterDomain: cluster.local
resolvConf: $own/etc/resolv.conf
volumePluginDir: /var/lib/kubelet/plugins-exec
imageGCHighThresholdPercent: 100
evictionHard: { memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1% }
systemReserved: { memory: ${NODE_RESERVED_KIB}Ki }
C
run kubelet --config="$own/etc/kubelet.yaml" --kubeconfig="$KEYS/$node.kubeconfig" --hostname-override="$node" \
  --node-ip="$(address_of "$node")" --node-labels="$NODE_LABELS"

# Settings of the kernel that it would raise belong to the whole machine.
cat >"$own/etc/proxy.yaml" <<C
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: $PODS
hostnameOverride: $node
clientConnection: { kubeconfig: $KEYS/kube-proxy.kubeconfig }
conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
C
run kube-proxy --config="$own/etc/proxy.yaml"
wait
