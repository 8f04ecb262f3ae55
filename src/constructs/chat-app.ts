import { Chart, Duration } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { checkDns1035Label, checkDnsSubdomain, checkLabels } from '../common/names';
import { checkInteger, checkSeconds } from '../common/numbers';
import { ALB } from './alb-annotations';
import { defineObject, type Plain } from './api-object';
import { chatBundle } from './chat-bundle';
import { DEFAULT_KEEP_ALIVE, keepAliveSeconds } from './keep-alive';
import type { LeaderService } from './leader-service';
import type { Toleration } from './options';
import type { SecretKey } from './secret-key';

/** What the chat page speaks to, and where it is served. */
export interface ChatAppProps {
  /** The server that answers. Its API key is added by the chat server and never reaches a browser. */
  readonly api: LeaderService;

  /** Password of the page. Whoever has it uses the model without the API key. */
  readonly password: SecretKey;

  /**
   * Name of the Deployment and the Service.
   * @default - the id of the construct
   */
  readonly name?: string;

  /**
   * Path under which the page is served; the balancer does not rewrite it.
   * @default /chat
   */
  readonly path?: string;

  /**
   * Name of the model in requests.
   * @default - the name that the group serves; to be given for a group that was made elsewhere
   */
  readonly model?: string;

  /**
   * Pods.
   * @default 1
   */
  readonly replicas?: number;

  /**
   * Port of the Service and of the pods.
   * @default 8080
   */
  readonly port?: number;

  /**
   * Image with Node.js 20 or newer, for every architecture of the cluster's nodes.
   * @default public.ecr.aws/docker/library/node:24.21.0-alpine
   */
  readonly image?: string;

  /**
   * Digest of the image, `sha256:…`, which pins it beyond the tag.
   * @default - the tag alone
   */
  readonly imageDigest?: string;

  /**
   * Secrets with registry credentials.
   * @default - none: anonymous pulls
   */
  readonly imagePullSecrets?: string[];

  /**
   * Node labels that a node must have.
   * @default - any node
   */
  readonly nodeSelector?: { [label: string]: string };

  /**
   * Taints that the pods accept.
   * @default - none
   */
  readonly tolerations?: Toleration[];

  /**
   * How long an idle connection stays open. The idle timeout of a balancer in front has to be shorter.
   * @default - as the group does, and at least Duration.seconds(310)
   */
  readonly keepAliveTimeout?: Duration;

  /**
   * How long to wait for the next byte of the server.
   * @default Duration.minutes(5)
   */
  readonly upstreamTimeout?: Duration;

  /**
   * Largest request in bytes, 1 KiB to 1 MiB: the whole conversation, which the browser sends each time.
   * @default 262144
   */
  readonly maxRequestBytes?: number;

  /**
   * Most tokens of an answer.
   * @default - what is left of the model's context
   */
  readonly maxTokens?: number;
}

const IMAGE = 'public.ecr.aws/docker/library/node:24.21.0-alpine';
const HEALTH_PATH = '/healthz';
const SOURCE_FILE = 'server.mjs';
const SOURCE_FOLDER = '/app';
/** A numeric user that no image file belongs to: `runAsNonRoot` cannot check a name. */
const USER = 10001;
/** Keep the heap well under the memory limit; the worst that a client could do was measured at 110 MiB in all. */
const HEAP_BOUNDS = ['--max-old-space-size=64', '--max-semi-space-size=1'];
/** Time for the endpoints of the Service to lose the pod, before its server closes the door. */
const LEAVE_SECONDS = 5;
/** That, and the 25 s for which the server lets answers in flight go on after it is told to end. */
const GRACE_SECONDS = LEAVE_SECONDS + 30;

/**
 * A chat page and the small server behind it. The source travels in a ConfigMap, so no image is built; the pod
 * template carries its hash, so an edit rolls the pods.
 *
 * @example
 *   new ChatApp(chart, 'chat-app', { api, password: SecretKey.of('chat-password', 'password') });
 */
export class ChatApp extends Construct {
  /** Name of the Service. */
  public readonly serviceName: string;
  /** Path under which the page is served. */
  public readonly path: string;
  /** Port of the Service. */
  public readonly port: number;
  /** How long the pods keep an idle connection open. */
  public readonly keepAliveTimeout: Duration;

  public constructor(scope: Construct, id: string, props: ChatAppProps) {
    super(scope, id);
    this.serviceName = checkDns1035Label('name of the chat application', props.name ?? this.node.id);
    this.path = checkPath(props.path ?? '/chat');
    this.port = checkInteger('port', props.port ?? 8080, 1024, 65535);
    this.keepAliveTimeout = props.keepAliveTimeout ?? longer(props.api.keepAliveTimeout, DEFAULT_KEEP_ALIVE);
    if (this.serviceName === props.api.serviceName || this.serviceName === props.api.group.groupName) {
      throw new Error(
        `name of the chat application is '${this.serviceName}', which the model server uses; take another, for ` +
          "example 'chat-app'",
      );
    }

    const bundle = chatBundle();
    const sourceName = `${this.serviceName}-src`;
    const labels = { app: this.serviceName };
    defineObject<k8s.KubeConfigMapProps>(new Construct(this, 'Source'), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: sourceName },
      data: { [SOURCE_FILE]: bundle.source },
    });
    defineObject<k8s.KubeDeploymentProps>(this, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: this.serviceName },
      spec: {
        replicas: checkInteger('replicas', props.replicas ?? 1, 0, 1000),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'cdk8s-vllm/source-hash': bundle.hash } },
          spec: this.podSpec(props, sourceName),
        },
      },
    });
    defineObject<k8s.KubeServiceProps>(new Construct(this, 'Service'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: this.serviceName, annotations: { [ALB.healthCheckPath]: HEALTH_PATH } },
      spec: {
        type: 'ClusterIP',
        selector: labels,
        ports: [{ name: 'http', port: this.port, targetPort: 'http' }],
      },
    });
  }

  /** Meets the Pod Security level `restricted`. */
  private podSpec(props: ChatAppProps, sourceName: string): Plain<k8s.PodSpec> {
    const probe = { httpGet: { path: HEALTH_PATH, port: 'http' } };
    return {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(props.imagePullSecrets?.length && {
        imagePullSecrets: props.imagePullSecrets.map((name) => ({
          name: checkDnsSubdomain('name in imagePullSecrets', name),
        })),
      }),
      ...(props.nodeSelector && { nodeSelector: checkLabels('node label', props.nodeSelector) }),
      ...(props.tolerations?.length && { tolerations: props.tolerations.map((t) => t._render()) }),
      containers: [
        {
          name: 'chat',
          image: imageReference(props.image ?? IMAGE, props.imageDigest),
          command: ['node', ...HEAP_BOUNDS, `${SOURCE_FOLDER}/${SOURCE_FILE}`],
          env: this.environment(props),
          ports: [{ name: 'http', containerPort: this.port }],
          resources: {
            requests: { cpu: '50m', memory: '64Mi', 'ephemeral-storage': '32Mi' },
            limits: { cpu: '500m', memory: '192Mi', 'ephemeral-storage': '64Mi' },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          readinessProbe: { ...probe, periodSeconds: 5 },
          livenessProbe: { ...probe, periodSeconds: 10, timeoutSeconds: 5 },
          lifecycle: { preStop: { exec: { command: ['sleep', String(LEAVE_SECONDS)] } } },
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [{ name: 'source', mountPath: SOURCE_FOLDER, readOnly: true }],
        },
      ],
      volumes: [{ name: 'source', configMap: { name: sourceName } }],
    };
  }

  private environment(props: ChatAppProps): Plain<k8s.EnvVar>[] {
    const { api, password, maxTokens } = props;
    const model = props.model ?? api.group.servedModelName;
    if (model !== undefined && !/^\S+$/.test(model)) {
      throw new Error(`model is '${model}'; it takes the name of the model in requests, one word`);
    }
    if (model === undefined) {
      throw new Error(
        `group '${api.group.groupName}' was made elsewhere and its model is not known; give the chat page its name: ` +
          "model: 'google/gemma-3-1b-it'",
      );
    }
    const value = (name: string, text: string | number): Plain<k8s.EnvVar> => ({ name, value: String(text) });
    const secret = (name: string, key: SecretKey): Plain<k8s.EnvVar> => ({ name, valueFrom: key._source });
    return [
      value('PORT', this.port),
      value('PATH_PREFIX', this.path),
      value('UPSTREAM_URL', api._urlFrom(Chart.of(this).namespace)),
      value('MODEL', model),
      ...(api.group.apiKey ? [secret('API_KEY', api.group.apiKey)] : []),
      secret('PASSWORD', password),
      value('KEEP_ALIVE_SECONDS', keepAliveSeconds(this.keepAliveTimeout)),
      value(
        'UPSTREAM_TIMEOUT_SECONDS',
        checkSeconds('upstreamTimeout', props.upstreamTimeout ?? Duration.minutes(5), 1, 24 * 3600),
      ),
      value('MAX_REQUEST_BYTES', checkInteger('maxRequestBytes', props.maxRequestBytes ?? 262_144, 1024, 1024 ** 2)),
      ...(maxTokens === undefined ? [] : [value('MAX_TOKENS', checkInteger('maxTokens', maxTokens, 1, 10_000_000))]),
    ];
  }
}

function longer(a: Duration, b: Duration): Duration {
  return a.toMilliseconds() > b.toMilliseconds() ? a : b;
}

function checkPath(path: string): string {
  if (!/^\/([A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*)?$/.test(path) || /(^|\/)\.{1,2}(\/|$)/.test(path)) {
    throw new Error(
      `path is '${path}'; it takes '/' or segments of letters, digits, '-', '_', '.' and '~' such as '/chat', ` +
        'without a slash at the end',
    );
  }
  return path;
}

function imageReference(image: string, digest: string | undefined): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  const hasDigest = /@sha256:[0-9a-f]{64}$/.test(name);
  if (!/^\S+$/.test(image) || (!hasDigest && !/:[^:@]*\d+\.\d+\.\d+[^:@]*$/.test(name))) {
    throw new Error(
      `image is '${image}'; it takes a reference with a full version tag or a digest, such as 'node:24.21.0-alpine'`,
    );
  }
  if (digest === undefined) {
    return image;
  }
  if (hasDigest || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(
      `imageDigest is '${digest}'; it takes 'sha256:' and 64 hexadecimal digits, beside an image that has no digest yet`,
    );
  }
  return `${image}@${digest}`;
}
