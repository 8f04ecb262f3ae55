import type { KubernetesObject } from '../../rules/finding';

/** Kinds whose fields below are never templates in their own right, as those of an Argo workflow are. */
const KINDS = new Set([
  'ConfigMap',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'Ingress',
  'Job',
  'LeaderWorkerSet',
  'Namespace',
  'PersistentVolumeClaim',
  'Pod',
  'PodDisruptionBudget',
  'PodMonitor',
  'Secret',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
  'StatefulSet',
]);

const FIELDS = new Set([
  'image',
  'replicas',
  'size',
  'serviceName',
  'serviceAccountName',
  'storageClassName',
  'nodeName',
]);
/** Names and images are shorter, and what is longer is not worth the time. */
const MOST_CHARACTERS = 1000;
const LEFTOVERS: readonly { readonly pattern: RegExp; readonly hint: string }[] = [
  { pattern: /\{\{[^]*\}\}/, hint: 'render it first: helm template … | cdk8s-vllm check -' },
  { pattern: /\$\{[^}]*\}|\$\([^)]*\)|^\$[A-Za-z_]\w*$/, hint: 'put the value in first, for example with envsubst' },
  { pattern: /<[A-Za-z][^<>]*>/, hint: 'put your own value there' },
];

/** What stands in a text in the place of a value. */
export interface Leftover {
  readonly path: string;
  readonly text: string;
  readonly hint: string;
}

/**
 * The first placeholder where the API server takes none: names, labels, images, numbers. Commands, arguments and data may hold
 * shell, Jinja and Go templates that are meant so.
 */
export function leftoverIn(object: KubernetesObject): Leftover | undefined {
  if (!KINDS.has(object.kind)) {
    return undefined;
  }
  const metadata: unknown = object.metadata;
  if (isMap(metadata)) {
    for (const field of ['name', 'namespace']) {
      const found = leftover(`metadata.${field}`, metadata[field]);
      if (found) {
        return found;
      }
    }
    for (const [key, value] of isMap(metadata.labels) ? Object.entries(metadata.labels) : []) {
      const found = leftover(`metadata.labels['${key}']`, value);
      if (found) {
        return found;
      }
    }
  }
  const found = inFields(object.spec, 'spec', 0);
  return found && { ...found, path: `spec${found.path}` };
}

/** Goes down where pods are; resources are numbers whatever they are called. The path of what it finds begins behind `value`. */
function inFields(value: unknown, name: string, depth: number): Leftover | undefined {
  if (depth > 12) {
    return undefined;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = typeof value[i] === 'object' ? inFields(value[i], '', depth + 1) : undefined;
      if (found) {
        return { ...found, path: `[${i}]${found.path}` };
      }
    }
    return undefined;
  }
  if (!isMap(value)) {
    return undefined;
  }
  const areNumbers = name === 'limits' || name === 'requests';
  for (const key of Object.keys(value)) {
    const inner = value[key];
    const found =
      typeof inner === 'string'
        ? areNumbers || FIELDS.has(key)
          ? leftover('', inner)
          : undefined
        : typeof inner === 'object'
          ? inFields(inner, key, depth + 1)
          : undefined;
    if (found) {
      return { ...found, path: `${/^[\w-]+$/.test(key) ? `.${key}` : `['${key}']`}${found.path}` };
    }
  }
  return undefined;
}

function leftover(path: string, value: unknown): Leftover | undefined {
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) {
    return undefined;
  }
  const found = LEFTOVERS.find(({ pattern }) => pattern.test(value));
  return found && { path, text: value.length > 60 ? `${value.slice(0, 60)}…` : value, hint: found.hint };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a text that cannot be read looks like. */
export function templateHint(text: string): string | undefined {
  if (/^(?:<{7}|>{7}) /m.test(text)) {
    return 'it looks like a merge that was not resolved';
  }
  if (text.includes('{{')) {
    return 'it looks like a template that was not rendered (helm template … | cdk8s-vllm check -)';
  }
  if (/\$\{\w+\}/.test(text)) {
    return 'it looks like a template that was not rendered (envsubst puts values in)';
  }
  return /:\s+<[A-Za-z][^<>\n]*>/.test(text)
    ? 'it looks like a template whose placeholders were not filled in'
    : undefined;
}
