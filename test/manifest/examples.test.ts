import { describe, expect, test } from 'vitest';
import { readGroups } from '../../src/manifest';
import { objectsOf } from './read';

/* Deployments in the manner of others: written for these tests, after the way that each of them goes about it. */

describe('a group by Ray, as LeaderWorkerSet and vLLM showed it for long', () => {
  const { groups, unread } = readGroups(
    objectsOf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: big}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      metadata: {labels: {role: leader}}
      spec:
        containers:
        - name: leader
          image: vllm/vllm-openai:latest
          env:
          - {name: HUGGING_FACE_HUB_TOKEN, value: <token>}
          command:
          - sh
          - -c
          - "bash /vllm-workspace/examples/online_serving/multi-node-serving.sh leader --ray_cluster_size=$(LWS_GROUP_SIZE);
            python3 -m vllm.entrypoints.openai.api_server --port 8080 --model org/big --tensor-parallel-size 8 --pipeline_parallel_size 2"
          resources: {limits: {nvidia.com/gpu: "8", memory: 1124Gi, ephemeral-storage: 800Gi}, requests: {cpu: 125}}
          ports: [{containerPort: 8080}]
          readinessProbe: {tcpSocket: {port: 8080}, initialDelaySeconds: 15, periodSeconds: 10}
          volumeMounts: [{mountPath: /dev/shm, name: dshm}]
        volumes: [{name: dshm, emptyDir: {medium: Memory, sizeLimit: 15Gi}}]
    workerTemplate:
      spec:
        containers:
        - name: worker
          image: vllm/vllm-openai:latest
          command: [sh, -c, "bash /vllm-workspace/examples/online_serving/multi-node-serving.sh worker --ray_address=$(LWS_LEADER_ADDRESS)"]
          resources: {limits: {nvidia.com/gpu: "8"}}
`),
  );

  test('has a head that serves and a worker that joins', () => {
    const { leader, worker, replicas } = groups[0]!;
    expect(unread).toEqual([]);
    expect([leader.engine!.command.form, leader.engine!.command.ray?.role, worker!.engine!.command.form]).toEqual([
      'module',
      'head',
      'ray-worker',
    ]);
    expect(leader.engine!.settings).toMatchObject({
      model: { value: 'org/big' },
      worldSize: 16,
      port: { value: 8080 },
      executor: { isGiven: false },
    });
    expect([replicas, leader.engine!.image?.version, leader.engine!.image?.versionWhy]).toEqual([
      2,
      undefined,
      "the tag 'latest' names no release of vLLM",
    ]);
    expect(leader.engine!.command.isOn('--enforce-eager')).toBe(false);
    expect(leader.engine!.readinessProbe).toMatchObject({ kind: 'tcp', port: 8080 });
    expect(worker!.engine!.resources.limits.get('nvidia.com/gpu')?.value).toBe(8);
  });
});

test('a group by multiprocessing, with a line for each role', () => {
  const { groups, unread } = readGroups(
    objectsOf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: mp, namespace: serving}
spec:
  leaderWorkerTemplate:
    size: 4
    leaderTemplate:
      spec:
        containers:
        - image: vllm/vllm-openai:v0.30.0
          command: [sh, -c]
          args: ["exec vllm serve org/big -tp 8 -pp $(LWS_GROUP_SIZE) --nnodes $(LWS_GROUP_SIZE) --node-rank $(LWS_WORKER_INDEX)
            --master-addr $(LWS_LEADER_ADDRESS) --port 8080"]
    workerTemplate:
      spec:
        containers:
        - image: vllm/vllm-openai:v0.30.0
          command: [sh, -c]
          args: ["exec vllm serve org/big -tp 8 -pp $(LWS_GROUP_SIZE) --nnodes $(LWS_GROUP_SIZE) --node-rank $(LWS_WORKER_INDEX)
            --master-addr $(LWS_LEADER_ADDRESS) --headless"]
`),
  );
  const { leader, worker } = groups[0]!;
  expect(unread).toEqual([]);
  expect(leader.engine!.settings).toMatchObject({
    nodeRank: { value: 0 },
    nnodes: { value: 4 },
    worldSize: 32,
    headless: { value: false },
  });
  expect(worker!.engine!.settings).toMatchObject({
    nodeRank: { value: 'worker-index' },
    nnodes: { value: 4 },
    worldSize: 32,
    headless: { value: true },
  });
});

test('a wrapper that resolves the leader first, as KServe and others have it', () => {
  const { groups, unread } = readGroups(
    objectsOf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: wrapped, namespace: serving}
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers:
        - image: registry.example/llm-d:v0.4.0
          command: [/bin/bash, -c]
          args:
          - |-
            set -eo pipefail
            # the address has to resolve first
            for i in $(seq 1 60); do
              LEADER_IP=$(getent hosts "$LWS_LEADER_ADDRESS" | awk '{print $1}')
              [ -n "$LEADER_IP" ] && break
              sleep 2
            done
            if [ -z "$LEADER_IP" ]; then
              echo "no leader" >&2
              exit 1
            fi
            ROLE_ARGS=""
            if [ "\${LWS_WORKER_INDEX:-0}" -gt 0 ]; then ROLE_ARGS="--headless"; fi
            eval "exec true" || true
            exec vllm serve /mnt/models --served-model-name "$MODEL_NAME" \\
              --nnodes "\${LWS_GROUP_SIZE}" --node-rank "\${LWS_WORKER_INDEX:-0}" --master-addr "$LEADER_IP" \\
              --tensor-parallel-size 8 --pipeline-parallel-size \${LWS_GROUP_SIZE} $ROLE_ARGS "$@"
          - --
          - --max-model-len=8192
`),
  );
  const { leader, worker } = groups[0]!;
  expect(unread).toEqual([]);
  for (const { engine } of [leader, worker!]) {
    expect(engine!.settings).toMatchObject({
      model: { value: '/mnt/models' },
      maxModelLen: { value: 8192 },
      worldSize: 16,
    });
    expect(engine!.settings!.masterAddr).toMatchObject({ isGiven: true, why: 'a loop sets LEADER_IP' });
    expect(engine!.command.flag('--served-model-name')?.why).toBe('nothing in the manifest sets MODEL_NAME');
  }
  expect([leader, worker!].map(({ engine }) => engine!.command.isOn('--headless'))).toEqual([false, true]);
});

test('data parallel over a group, each pod with its own ranks', () => {
  const { groups } = readGroups(
    objectsOf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: wide, namespace: serving}
spec:
  leaderWorkerTemplate:
    size: 3
    workerTemplate:
      spec:
        containers:
        - image: vllm/vllm-openai:v0.30.0
          env: [{name: DP_LOCAL, value: "8"}]
          command: [bash, -lc]
          args: ["START_RANK=$(( \${LWS_WORKER_INDEX:-0} * DP_LOCAL )); source /opt/venv/bin/activate; exec vllm serve org/moe --enable-expert-parallel
            --data-parallel-hybrid-lb --data-parallel-size $((LWS_GROUP_SIZE * DP_LOCAL)) --data-parallel-size-local $DP_LOCAL
            --data-parallel-address \${LWS_LEADER_ADDRESS} --data-parallel-start-rank $START_RANK"]
`),
  );
  const { leader, worker } = groups[0]!;
  expect(leader.engine!.settings).toMatchObject({
    dataParallelSize: { value: 24 },
    dataParallelSizeLocal: { value: 8 },
    dataParallelStartRank: { value: 0 },
    dataParallelHybridLb: { value: true },
  });
  expect(worker!.engine!.settings!.dataParallelStartRank).toMatchObject({ isGiven: true, why: /is not known/ });
  expect(worker!.engine!.command.isComplete).toBe(true);
});

test('a Deployment as the production stack renders it', () => {
  const { groups, unread } = readGroups(
    objectsOf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: stack-engine, namespace: serving, labels: {model: small}}
spec:
  replicas: 1
  selector: {matchLabels: {model: small}}
  template:
    metadata: {labels: {model: small}}
    spec:
      runtimeClassName: nvidia
      containers:
      - name: vllm
        image: lmcache/vllm-openai:v0.3.9
        command: [vllm, serve, org/small, --host, 0.0.0.0, --port, "8000", --no-enable-prefix-caching, --enable-chunked-prefill,
          --max-model-len, "16384", --dtype, bfloat16, --tensor-parallel-size, "2", --gpu_memory_utilization, "0.8",
          --kv-transfer-config, '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}']
        securityContext: {runAsNonRoot: false}
        env:
        - {name: HF_HOME, value: /data}
        - {name: VLLM_API_KEY, valueFrom: {secretKeyRef: {name: stack-secrets, key: key}}}
        envFrom: [{configMapRef: {name: stack-configs}}]
        ports: [{name: container-port, containerPort: 8000}]
        startupProbe: {httpGet: {path: /health, port: 8000}, failureThreshold: 60}
      - {name: router, image: "lmcache/lmstack-router:latest", args: [--port, "9"]}
`),
  );
  const { leader } = groups[0]!;
  expect(leader.engines).toHaveLength(1);
  const { command, settings, image } = leader.engine!;
  expect(command.flag('--kv-transfer-config.kv_role')?.value).toBe('kv_both');
  expect([command.isOn('--enable-prefix-caching'), command.isOn('--enable-chunked-prefill')]).toEqual([false, true]);
  expect(settings).toMatchObject({
    tensorParallelSize: { value: 2 },
    gpuMemoryUtilization: { value: 0.8 },
    apiKey: { value: true },
    host: { value: '0.0.0.0' },
  });
  expect([image!.backend, image!.version]).toEqual(['cuda', undefined]);
  expect(unread).toMatchObject([{ path: 'spec.template.spec.containers[0].envFrom[0]' }]);
});
