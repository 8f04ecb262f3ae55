/** A group that Ray spreads over two nodes; the manifest that examples of rules about Ray are made from. */
export function rayGroup(image: string, script: string, executor = ' --distributed-executor-backend ray'): string {
  const container = (line: string, rest: string): string => `        enableServiceLinks: false
        containers:
          - name: vllm
            image: ${image}
            command: [sh, -c]
            args:
              - |
${line}
            env:
              - { name: VLLM_HOST_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
${rest}            resources:
              requests: { cpu: "64", memory: 512Gi, nvidia.com/gpu: "8" }
              limits: { memory: 512Gi, nvidia.com/gpu: "8" }
            volumeMounts: [{ name: shm, mountPath: /dev/shm }]
        volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 16Gi } }]
`;
  const head = `                bash ${script} leader --ray_cluster_size=$(LWS_GROUP_SIZE)
                exec vllm serve Qwen/Qwen3-235B-A22B --port 8000 -tp 8 -pp 2${executor}`;
  const worker = `                exec bash ${script} worker --ray_address=$(LWS_LEADER_ADDRESS)`;
  const probes = `            ports: [{ name: http, containerPort: 8000 }]
            startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 180 }
            readinessProbe: { httpGet: { path: /health, port: http } }
`;
  return `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: large, namespace: serving }
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    restartPolicy: RecreateGroupOnPodRestart
    leaderTemplate:
      metadata:
        labels: { app: large, role: leader }
      spec:
${container(head, probes)}    workerTemplate:
      metadata:
        labels: { app: large, role: worker }
      spec:
${container(worker, '')}`;
}
