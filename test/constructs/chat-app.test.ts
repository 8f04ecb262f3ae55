import { Duration } from 'cdk8s';
import { ChatApp, type ChatAppProps, LeaderService, SecretKey, Toleration, VllmPipelineGroup } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { bundleOf, chatBundle, CONFIG_MAP_LIMIT_BYTES } from '../../src/constructs/chat-bundle';
import { type ErrorCase, expectError } from '../common/errors';
import { env, find, newChart, newChat, type PodTemplate, synth } from './harness';

interface DeploymentSpec {
  readonly replicas: number;
  readonly selector: object;
  readonly template: PodTemplate;
}

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const chart = newChart();
const group = VllmPipelineGroup.fromName('far', { port: 9000, apiKey: SecretKey.of('api-key', 'k') });
const props: Required<ChatAppProps> = {
  api: new LeaderService(chart, 'far-leader', { group }),
  password: SecretKey.of('chat-password', 'p'),
  name: 'talk',
  path: '/a/talk',
  model: 'llama',
  replicas: 3,
  port: 8888,
  image: 'mirror.example/node:24.1.0',
  imageDigest: digest,
  imagePullSecrets: ['regcred'],
  nodeSelector: { disk: 'ssd' },
  tolerations: [Toleration.equal('dedicated', 'web')],
  keepAliveTimeout: Duration.seconds(99),
  upstreamTimeout: Duration.seconds(77),
  maxRequestBytes: 2048,
  maxTokens: 512,
};
const chat = new ChatApp(chart, 'id', props);
const { spec } = find<DeploymentSpec>(chart, 'Deployment');
const service = find<{ selector: object; ports: object[] }>(chart, 'Service', 'talk');
const container = spec.template.spec.containers[0];

/** What each prop does. One line a prop, or this file does not compile. */
const effects: Record<keyof ChatAppProps, () => void> = {
  api: () => {
    expect(env(spec.template, 'UPSTREAM_URL')).toBe('http://far-leader:9000');
    expect(container.env).toContainEqual({
      name: 'API_KEY',
      valueFrom: { secretKeyRef: { name: 'api-key', key: 'k' } },
    });
  },
  password: () =>
    expect(container.env).toContainEqual({
      name: 'PASSWORD',
      valueFrom: { secretKeyRef: { name: 'chat-password', key: 'p' } },
    }),
  name: () => {
    expect([find(chart, 'Deployment').metadata.name, chat.serviceName]).toEqual(['talk', 'talk']);
    expect(find(chart, 'ConfigMap').metadata.name).toBe('talk-src');
    expect(spec.template.spec.volumes).toEqual([{ name: 'source', configMap: { name: 'talk-src' } }]);
    expect([spec.selector, service.spec.selector]).toEqual([{ matchLabels: { app: 'talk' } }, { app: 'talk' }]);
    expect(spec.template.metadata.labels).toEqual({ app: 'talk' });
  },
  path: () => expect([env(spec.template, 'PATH_PREFIX'), chat.path]).toEqual(['/a/talk', '/a/talk']),
  model: () => expect(env(spec.template, 'MODEL')).toBe('llama'),
  replicas: () => expect(spec.replicas).toBe(3),
  port: () => {
    expect(env(spec.template, 'PORT')).toBe('8888');
    expect(container.ports).toEqual([{ name: 'http', containerPort: 8888 }]);
    expect(service.spec.ports).toEqual([{ name: 'http', port: 8888, targetPort: 'http' }]);
  },
  image: () => expect(container.image).toMatch(/^mirror\.example\/node:24\.1\.0@/),
  imageDigest: () => expect(container.image.endsWith(`@${digest}`)).toBe(true),
  imagePullSecrets: () => expect(spec.template.spec.imagePullSecrets).toEqual([{ name: 'regcred' }]),
  nodeSelector: () => expect(spec.template.spec.nodeSelector).toEqual({ disk: 'ssd' }),
  tolerations: () =>
    expect(spec.template.spec.tolerations).toEqual([{ key: 'dedicated', operator: 'Equal', value: 'web' }]),
  keepAliveTimeout: () => {
    expect(env(spec.template, 'KEEP_ALIVE_SECONDS')).toBe('99');
    expect(chat.keepAliveTimeout.toSeconds()).toBe(99);
  },
  upstreamTimeout: () => expect(env(spec.template, 'UPSTREAM_TIMEOUT_SECONDS')).toBe('77'),
  maxRequestBytes: () => expect(env(spec.template, 'MAX_REQUEST_BYTES')).toBe('2048'),
  maxTokens: () => expect(env(spec.template, 'MAX_TOKENS')).toBe('512'),
};

describe('ChatApp, all props', () => {
  test.each(Object.entries(effects))('%s', (_, check) => check());
});

describe('ChatApp by default', () => {
  const usual = newChart();
  newChat(usual);
  const { template } = find<DeploymentSpec>(usual, 'Deployment').spec;

  test('follows its group', () => {
    expect(template.spec.containers[0].env.filter((e) => e.value !== undefined)).toEqual([
      { name: 'PORT', value: '8080' },
      { name: 'PATH_PREFIX', value: '/chat' },
      { name: 'UPSTREAM_URL', value: 'http://gemma-leader:8000' },
      { name: 'MODEL', value: 'google/gemma-3-1b-it' },
      { name: 'KEEP_ALIVE_SECONDS', value: '310' },
      { name: 'UPSTREAM_TIMEOUT_SECONDS', value: '300' },
      { name: 'MAX_REQUEST_BYTES', value: '262144' },
    ]);
    expect(template.spec.containers[0].image).toMatch(/^public\.ecr\.aws\/docker\/library\/node:\d+\.\d+\.\d+-alpine$/);
  });

  test('holds no secret, only references to two', () => {
    const secrets = template.spec.containers[0].env.filter((e) => e.valueFrom !== undefined);
    expect(secrets).toEqual([
      { name: 'API_KEY', valueFrom: { secretKeyRef: { name: 'vllm-api-key', key: 'key' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'chat-password', key: 'password' } } },
    ]);
    expect(secrets.every((e) => e.value === undefined)).toBe(true);
    expect(synth(usual).map(({ kind }) => kind)).not.toContain('Secret');
  });

  test('meets every control of the Pod Security level restricted', () => {
    const { spec: pod } = template;
    const { securityContext, ...rest } = pod.containers[0];
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 10001,
      runAsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers', 'ephemeralContainers']) {
      expect(pod).not.toHaveProperty(field);
    }
    // Volumes of an allowed kind, no ports of the host, no probe that names a host.
    expect((pod.volumes as object[]).flatMap((v) => Object.keys(v)).sort()).toEqual(['configMap', 'name']);
    expect(JSON.stringify(rest)).not.toMatch(/hostPort|"host"|hostProcess|procMount/);
  });

  test('the health check is exempt from the password, for the kubelet and for the balancer', () => {
    expect(template.spec.containers[0]).toMatchObject({
      readinessProbe: { httpGet: { path: '/healthz', port: 'http' } },
      livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
    });
    expect(find(usual, 'Service', 'chat-app').metadata.annotations).toEqual({
      'alb.ingress.kubernetes.io/healthcheck-path': '/healthz',
    });
  });

  test('a pod leaves the Service before its server closes, and has the time to finish', () => {
    const { lifecycle } = template.spec.containers[0] as { lifecycle?: { preStop: { exec: { command: string[] } } } };
    const [sleep, seconds] = lifecycle!.preStop.exec.command;
    expect(sleep).toBe('sleep');
    // The server lets answers in flight go on for 25 s.
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 25);
  });

  test('the pods carry the hash of what they run', () => {
    const { source, hash } = chatBundle();
    expect(find(usual, 'ConfigMap').data).toEqual({ 'server.mjs': source });
    expect(template.metadata.annotations).toEqual({ 'cdk8s-vllm/source-hash': hash });
    expect(template.spec.containers[0].command.at(-1)).toBe('/app/server.mjs');
  });

  test('a group without a key has none to pass on', () => {
    const open = newChart();
    const api = new LeaderService(open, 'far-leader', { group: VllmPipelineGroup.fromName('far') });
    new ChatApp(open, 'chat', { api, model: 'm', password: props.password });
    expect(
      find<DeploymentSpec>(open, 'Deployment').spec.template.spec.containers[0].env.map((e) => e.name),
    ).not.toContain('API_KEY');
  });
});

describe('the source', () => {
  test('one character more is another hash', () => {
    expect(bundleOf('a').hash).toMatch(/^[0-9a-f]{16}$/);
    expect(bundleOf('a').hash).toBe(bundleOf('a').hash);
    expect(bundleOf('a').hash).not.toBe(bundleOf('a ').hash);
  });

  test('fits into a ConfigMap to the byte, counted as UTF-8', () => {
    expect(CONFIG_MAP_LIMIT_BYTES).toBe(240 * 1024);
    expect(() => bundleOf('ä'.repeat(120 * 1024))).not.toThrow();
    expectError(
      () => bundleOf('ä'.repeat(120 * 1024) + 'a'),
      'source of the chat server is 245761 bytes',
      'at most 245760',
      'an image of its own',
    );
  });
});

describe('ChatApp refuses', () => {
  const make =
    (wrong: Partial<ChatAppProps>, id = 'chat') =>
    () => {
      const other = newChart();
      const api = new LeaderService(other, 'far-leader', { group });
      return new ChatApp(other, id, { api, password: props.password, model: 'm', ...wrong });
    };
  const errors: ErrorCase[] = [
    ['a name', make({}, '1a'), "name of the chat application is '1a'"],
    [
      'the name of its Service',
      make({ name: 'far-leader' }),
      "is 'far-leader', which the model server uses",
      "'chat-app'",
    ],
    ['the name of its group', make({ name: 'far' }), "is 'far', which the model server uses"],
    ['a model that is not known', make({ model: undefined }), "group 'far' was made elsewhere", "model: 'google/"],
    ['a port of root', make({ port: 1023 }), 'port is 1023', 'from 1024 to 65535'],
    ['replicas', make({ replicas: 1001 }), 'replicas is 1001', 'from 0 to 1000'],
    ['a pull secret', make({ imagePullSecrets: ['A'] }), "name in imagePullSecrets is 'A'"],
    ['a digest', make({ imageDigest: 'sha256:a' }), "imageDigest is 'sha256:a'", '64 hexadecimal digits'],
    ['keep-alive', make({ keepAliveTimeout: Duration.seconds(4101) }), 'keepAliveTimeout is 4101 s', 'from 1 to 4100'],
    ['upstreamTimeout', make({ upstreamTimeout: Duration.days(2) }), 'upstreamTimeout is 172800 s', 'from 1 to 86400'],
    ['maxRequestBytes', make({ maxRequestBytes: 1023 }), 'maxRequestBytes is 1023', 'from 1024 to 1048576'],
    ['maxTokens', make({ maxTokens: 0 }), 'maxTokens is 0', 'from 1 to 10000000'],
  ];
  test.each(errors)('%s', (_, cause, ...parts) => expectError(cause, ...parts));

  test.each(['node', 'node:latest', 'node:lts', 'mirror.example:5000/node', 'a b:1'])("image '%s'", (image) => {
    expectError(make({ image }), `image is '${image}'`, 'a full version tag or a digest');
  });

  test.each(['', 'chat', '/chat/', '/a//b', '/..', '/a/./b', '/a b', '/a?b'])("path '%s'", (path) => {
    expectError(make({ path }), `path is '${path}'`, "'/chat'", 'without a slash at the end');
  });
});
