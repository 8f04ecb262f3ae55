/**
 * Manifests that the examples of rules are made from, with nothing wrong in them. A rule's bad example is one of them with an
 * edit, so that what it shows stands out.
 */

/** Replaces parts of a manifest; each has to be there, every place of it is replaced. */
export function edit(manifest: string, ...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) {
      throw new Error(`the manifest does not hold '${from}'`);
    }
    return text.replaceAll(from, () => to);
  }, manifest);
}

/** Several objects in one manifest. */
export function together(...manifests: readonly string[]): string {
  return manifests.join('---\n');
}

/** Of leaders: a hung worker ends the step, and with it the group. */
const STEP_TIMEOUT = '              - { name: VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS, value: "120" }\n';

const CPU_CONTAINER = (rank: string): string => `        containers:
          - name: vllm
            image: vllm/vllm-openai-cpu:v0.31.0-x86_64
            command: [vllm, serve]
            args:
              - Qwen/Qwen3-8B
              - --dtype=bfloat16
              - --max-model-len=8192
              - --max-num-batched-tokens=256
              - --pipeline-parallel-size=2
              - --distributed-executor-backend=mp
              - -cc.mode=2
              - -cc.backend=eager
              - --nnodes=2
              - --node-rank=${rank}
              - --master-addr=$(LWS_LEADER_ADDRESS)
${rank === '0' ? '              - --port=8000\n' : '              - --headless\n'}            env:
              - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }
              - { name: VLLM_CPU_OMP_THREADS_BIND, value: nobind }
              - { name: OMP_NUM_THREADS, value: "13" }
${rank === '0' ? STEP_TIMEOUT : ''}              - { name: VLLM_HOST_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
${
  rank === '0'
    ? `            ports: [{ name: http, containerPort: 8000 }]
            startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 90 }
            readinessProbe: { httpGet: { path: /health, port: http } }
`
    : ''
}            resources:
              requests: { cpu: "14", memory: 40Gi }
              limits: { cpu: "14", memory: 40Gi }
            volumeMounts: [{ name: shm, mountPath: /dev/shm }]
        volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 4Gi } }]
`;

const TEMPLATE = (role: string, rank: string): string => `    ${role}Template:
      metadata:
        labels: { app: chat, role: ${role} }
      spec:
        enableServiceLinks: false
        nodeSelector: { kubernetes.io/arch: amd64 }
${CPU_CONTAINER(rank)}`;

/** A model of 8 B parameters in two stages on CPU, one pod each. */
export const CPU_GROUP = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: chat, namespace: serving }
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    restartPolicy: RecreateGroupOnPodRestart
${TEMPLATE('leader', '0')}${TEMPLATE('worker', '$(LWS_WORKER_INDEX)')}`;

const GPU_TEMPLATE = (role: string, rank: string): string => `    ${role}Template:
      metadata:
        labels: { app: large, role: ${role} }
      spec:
        enableServiceLinks: false
        containers:
          - name: vllm
            image: vllm/vllm-openai:v0.31.0
            command: [vllm, serve]
            args:
              - Qwen/Qwen3-235B-A22B
              - --tensor-parallel-size=8
              - --pipeline-parallel-size=2
              - --distributed-executor-backend=mp
              - --nnodes=2
              - --node-rank=${rank}
              - --master-addr=$(LWS_LEADER_ADDRESS)
${rank === '0' ? '              - --port=8000\n' : '              - --headless\n'}            env:
${rank === '0' ? STEP_TIMEOUT : ''}              - { name: VLLM_HOST_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
${
  rank === '0'
    ? `            ports: [{ name: http, containerPort: 8000 }]
            startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 180 }
            readinessProbe: { httpGet: { path: /health, port: http } }
`
    : ''
}            resources:
              requests: { cpu: "64", memory: 512Gi, nvidia.com/gpu: "8" }
              limits: { memory: 512Gi, nvidia.com/gpu: "8" }
            volumeMounts: [{ name: shm, mountPath: /dev/shm }]
        volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 16Gi } }]
`;

/** A large model over two nodes of eight GPUs. */
export const GPU_GROUP = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: large, namespace: serving }
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    restartPolicy: RecreateGroupOnPodRestart
${GPU_TEMPLATE('leader', '0')}${GPU_TEMPLATE('worker', '$(LWS_WORKER_INDEX)')}`;

/** A small model whole in one pod on CPU. */
export const CPU_POD = `apiVersion: apps/v1
kind: Deployment
metadata: { name: small, namespace: serving }
spec:
  replicas: 1
  selector: { matchLabels: { app: small } }
  template:
    metadata:
      labels: { app: small }
    spec:
      enableServiceLinks: false
      nodeSelector: { kubernetes.io/arch: amd64 }
      containers:
        - name: vllm
          image: vllm/vllm-openai-cpu:v0.31.0-x86_64
          command: [vllm, serve]
          args:
            - Qwen/Qwen3-0.6B
            - --dtype=bfloat16
            - --max-model-len=8192
            - --port=8000
          env:
            - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }
            - { name: VLLM_CPU_OMP_THREADS_BIND, value: nobind }
            - { name: OMP_NUM_THREADS, value: "5" }
          ports: [{ name: http, containerPort: 8000 }]
          startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 90 }
          readinessProbe: { httpGet: { path: /health, port: http } }
          resources:
            requests: { cpu: "6", memory: 16Gi }
            limits: { cpu: "6", memory: 16Gi }
          volumeMounts: [{ name: shm, mountPath: /dev/shm }]
      volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 2Gi } }]
`;

/** The leaders of CPU_GROUP behind a Service. */
export const GROUP_SERVICE = `apiVersion: v1
kind: Service
metadata: { name: chat-leader, namespace: serving }
spec:
  selector:
    leaderworkerset.sigs.k8s.io/name: chat
    leaderworkerset.sigs.k8s.io/worker-index: "0"
  ports: [{ name: http, port: 8000, targetPort: http }]
`;

/** CPU_POD behind a Service. */
export const POD_SERVICE = `apiVersion: v1
kind: Service
metadata: { name: small-api, namespace: serving }
spec:
  selector: { app: small }
  ports: [{ name: http, port: 8000, targetPort: http }]
`;

/** The API of CPU_POD behind an internal balancer; needs POD_SERVICE and CPU_POD. */
export const INGRESS = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: api
  namespace: serving
  annotations:
    alb.ingress.kubernetes.io/scheme: internal
    alb.ingress.kubernetes.io/target-type: ip
    alb.ingress.kubernetes.io/listen-ports: '[{"HTTP":80}]'
    alb.ingress.kubernetes.io/healthcheck-path: /health
    alb.ingress.kubernetes.io/inbound-cidrs: 10.0.0.0/8
    alb.ingress.kubernetes.io/load-balancer-attributes: idle_timeout.timeout_seconds=300
spec:
  ingressClassName: alb
  rules:
    - http:
        paths:
          - { path: /v1, pathType: Prefix, backend: { service: { name: small-api, port: { number: 8000 } } } }
`;

/** CPU_POD as INGRESS wants it: idle connections outlive the balancer's. */
export const CPU_POD_BEHIND_BALANCER = edit(CPU_POD, [
  '            - { name: OMP_NUM_THREADS, value: "5" }\n',
  '            - { name: OMP_NUM_THREADS, value: "5" }\n            - { name: VLLM_HTTP_TIMEOUT_KEEP_ALIVE, value: "310" }\n',
]);

/** The metrics of the leaders of CPU_GROUP. */
export const POD_MONITOR = `apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: chat, namespace: serving }
spec:
  selector: { matchLabels: { app: chat, role: leader } }
  podMetricsEndpoints: [{ port: http, path: /metrics }]
`;
