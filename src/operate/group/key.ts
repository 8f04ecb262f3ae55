import { ClusterFailure, isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import type { LivePod } from './live';

/** The key that the server asks for, and where it was found. It is sent, and never shown. */
export interface ApiKey {
  readonly value: string;
  /** `--api-key`, `Secret vllm-api-key/key`. */
  readonly from: string;
}

/** What the person who asks says about the key. */
export interface KeyGiven {
  readonly value?: string;
  /** Name of a Secret of the namespace, and the key in it. */
  readonly secret?: { readonly name: string; readonly key: string };
  /** `VLLM_API_KEY` of the environment. */
  readonly environment?: string;
}

const OTHER_WAYS = 'give the key itself by VLLM_API_KEY or --api-key';

/** A key that was said without a cluster. */
export function keyGiven({ value, environment }: KeyGiven): ApiKey | undefined {
  return value !== undefined
    ? usable({ value, from: '--api-key' })
    : environment !== undefined && environment !== ''
      ? usable({ value: environment, from: 'VLLM_API_KEY' })
      : undefined;
}

/** The key of a server in the cluster: what was said, or what its pod names. Nothing when the pod names none. */
export async function keyOf(kubectl: Kubectl, leader: LivePod, given: KeyGiven): Promise<ApiKey | undefined> {
  if (given.value === undefined && given.secret !== undefined) {
    return readKey(kubectl, 'secrets', given.secret.name, given.secret.key);
  }
  const said = keyGiven(given);
  return said ?? (await keyOfPod(kubectl, leader));
}

async function keyOfPod(kubectl: Kubectl, { settings, engine, name }: LivePod): Promise<ApiKey | undefined> {
  const text = settings?.apiKey.flag?.text ?? engine?.variable('VLLM_API_KEY')?.text ?? settings?.apiKey.text;
  if (settings?.apiKey.value !== true || text === undefined) {
    return undefined;
  }
  if (text.value !== undefined) {
    return text.value === '' ? undefined : usable({ value: text.value, from: `the arguments of ${name}` });
  }
  const [, kind, object, key] = /^(secret|configMap) ([^/]+)\/(.+)$/.exec(text.source ?? '') ?? [];
  if (kind === undefined) {
    throw new ClusterFailure('other', `the API key of ${name} is not to be read: ${text.why ?? ''}; ${OTHER_WAYS}`);
  }
  return readKey(kubectl, kind === 'secret' ? 'secrets' : 'configmaps', object!, key!);
}

async function readKey(
  kubectl: Kubectl,
  resource: 'secrets' | 'configmaps',
  name: string,
  key: string,
): Promise<ApiKey> {
  const from = `${resource === 'secrets' ? 'Secret' : 'ConfigMap'} ${name}/${key}`;
  let object: { readonly data?: Readonly<Record<string, string>> } | undefined;
  try {
    object = await kubectl.find(kubectl.path(`${resource}/${encodeURIComponent(name)}`));
  } catch (error) {
    if (isFailure(error, 'forbidden')) {
      throw new ClusterFailure('forbidden', `${error.message}\nor ${OTHER_WAYS}`, error.right);
    }
    throw error;
  }
  if (object === undefined) {
    throw new ClusterFailure('not-found', `there is no ${from.split('/')[0]!} in ${kubectl.namespace}; ${OTHER_WAYS}`);
  }
  const data = object.data ?? {};
  const text = Object.hasOwn(data, key) ? data[key]! : undefined;
  if (text === undefined) {
    const known = Object.keys(data).join(', ') || 'nothing';
    throw new ClusterFailure('not-found', `${from.split('/')[0]!} has no key '${key}'; it has ${known}`);
  }
  return usable({ value: resource === 'secrets' ? Buffer.from(text, 'base64').toString('utf8') : text, from });
}

function usable(key: ApiKey): ApiKey {
  if (/[^\u0020-\u007e\u0080-\u00ff]/.test(key.value)) {
    throw new ClusterFailure(
      'other',
      `the API key of ${key.from} holds a line break, another control character or one beyond Latin-1, which no request can carry: ` +
        "nobody can use it; make the Secret again, of printf '%s' and not of echo",
    );
  }
  return key;
}

/** Takes the key out of what is to be shown: logs and answers may hold it. */
export function without<T>(report: T, key: ApiKey | undefined): T {
  if (key === undefined || key.value.length < 4) {
    return report;
  }
  const strip = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(key.value, '***');
    }
    if (Array.isArray(value)) {
      return value.map(strip);
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, strip(each)]))
      : value;
  };
  return strip(report) as T;
}
