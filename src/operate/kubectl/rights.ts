/** A rule of a Role, and what it is there for. */
export interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** A Role of the namespace, or a ClusterRole. */
  readonly of: 'namespace' | 'cluster';
  readonly why: string;
  /** What is done without it; nothing where there is no other way. */
  readonly otherwise?: string;
}

const core = (resources: string, verbs: readonly string[], of: Right['of'] = 'namespace') => ({
  apiGroups: [''],
  resources: [resources],
  verbs,
  of,
});

const PODS: Right = { ...core('pods', ['get', 'list']), why: 'to find the group and its ranks' };
const FORWARD: Right = { ...core('pods/portforward', ['create']), why: 'to reach the server of the leader' };
const SECRETS: Right = {
  ...core('secrets', ['get']),
  why: 'to read the API key that the pod names',
  otherwise: 'VLLM_API_KEY or --api-key gives it',
};

/** What each command asks of the API server. */
export const RIGHTS = {
  smoke: [
    PODS,
    FORWARD,
    { ...core('pods/log', ['get']), why: 'to tell what broke', otherwise: 'the report says that it could not' },
    SECRETS,
    { ...core('events', ['list']), why: 'to tell what broke', otherwise: 'the status of the pods alone is told' },
    {
      ...core('services', ['get']),
      why: 'to see a Service that took the name of the leader',
      otherwise: 'the logs alone tell it',
    },
  ],
  prove: [
    PODS,
    FORWARD,
    SECRETS,
    {
      ...core('nodes/proxy', ['get'], 'cluster'),
      why: "to read the kubelet's summary",
      otherwise: 'pods/exec reads the counters within the containers',
    },
    {
      ...core('pods/exec', ['create']),
      why: 'to read the config.json that the leader has loaded, and the counters without nodes/proxy',
      otherwise: 'the catalogue or --config has the model, the kubelet the counters',
    },
  ],
  logs: [
    { ...core('pods', ['list', 'get', 'watch']), why: 'to find the group, and to see pods come and go' },
    { ...core('pods/log', ['get']), why: 'to read the logs' },
    {
      ...core('events', ['list']),
      why: 'to tell that a group was recreated',
      otherwise: 'it is not told, unless it happens while the logs are followed',
    },
  ],
  drill: [
    { ...core('pods', ['list', 'get', 'watch']), why: 'to find the group, and to see pods come and go' },
    FORWARD,
    SECRETS,
    { ...core('pods', ['delete']), why: '`delete-worker`, `delete-leader`', otherwise: 'these are not offered' },
    {
      ...core('pods/exec', ['create']),
      why: '`stop-worker`; and to see the first 200 of /health within the container',
      otherwise: 'stops are not offered; loading ends when the first token comes',
    },
    { ...core('pods/eviction', ['create']), why: '`drain`', otherwise: 'it is not offered' },
    {
      ...core('nodes', ['get', 'patch'], 'cluster'),
      why: '`drain`, `lose-node`',
      otherwise: 'these are not offered',
    },
  ],
} as const satisfies Record<string, readonly Right[]>;
