/**
 * The rules that say what a real API server or webhook says too: where it says so, and in which words. Every rule that is not here
 * warns of what is accepted, and test/cluster/rules.test.ts holds it to that.
 */
export interface Refusal {
  /**
   * `apply`: the object itself is refused; `pods`: the object is taken, and what its controller makes of it is refused, so that
   * nothing runs.
   */
  readonly by: 'apply' | 'pods';
  readonly says: RegExp;
}

export const REFUSALS: Readonly<Record<string, Refusal>> = {
  'k8s/host-port': { by: 'apply', says: /hostPort: Invalid value: 9000: must match `containerPort`/ },
  'k8s/ingress-class-conflict': { by: 'apply', says: /must match `ingressClassName` when both are specified/ },
  'k8s/port-name': { by: 'pods', says: /must be no more than 15 (characters|bytes)/ },
  'k8s/port-number': { by: 'pods', says: /containerPort: Invalid value: 80000: must be between 1 and 65535/ },
  'k8s/probe-handler': { by: 'pods', says: /may not specify more than 1 handler type/ },
  'k8s/request-over-limit': { by: 'pods', says: /must be less than or equal to cpu limit of 14/ },
  'k8s/restart-policy': { by: 'pods', says: /restartPolicy: Unsupported value: "Never": supported values: "Always"/ },
  'k8s/selector-not-template': { by: 'apply', says: /`selector` does not match template `labels`/ },
  'k8s/unknown-volume': { by: 'pods', says: /volumeMounts\[0\]\.name: Not found: "dshm"/ },
  'lws/duplicate-env': { by: 'apply', says: /duplicate entries for key \[name="MODE"\]/ },
  'lws/duplicate-list-key': { by: 'apply', says: /duplicate entries for key \[containerPort=8000/ },
  'lws/invalid-name': { by: 'apply', says: /a DNS-1035 label must consist of/ },
  'lws/invalid-number': { by: 'apply', says: /replicas: Invalid value: -1: should be a non-negative integer/ },
  'lws/missing-worker-template': {
    by: 'apply',
    says: /workerTemplate\.spec\.containers in body must be of type array: "null"/,
  },
  'lws/name-label-elsewhere': { by: 'pods', says: /admission webhook "[mv]pod\.kb\.io" denied/ },
  'lws/name-too-long': {
    by: 'pods',
    says: /metadata\.labels: Invalid value: .*must be no more than 63 (characters|bytes)/,
  },
  'lws/rollout-budget-zero': { by: 'apply', says: /must not be 0 when `maxSurge` is 0/ },
  'lws/subgroup-size': {
    by: 'apply',
    says: /subGroupSize cannot be larger than size|must be divisible by subGroupSize/,
  },
  'lws/subgroup-size-missing': { by: 'apply', says: /panic: runtime error: invalid memory address/ },
  'lws/subgroup-topology': { by: 'apply', says: /cannot have subgroup-exclusive-topology without subGroupSize set/ },
  'lws/unknown-value': { by: 'apply', says: /restartPolicy: Unsupported value: "Never"/ },
};
