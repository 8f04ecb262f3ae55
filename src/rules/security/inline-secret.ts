import { type Container, type EngineContainer, get, listOf, type Workload } from '../../manifest';
import type { KubernetesObject } from '../finding';
import { POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { GUARDED_POD, podWith } from './examples';

/** Forms that nothing but a secret has. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\bhf_[A-Za-z0-9]{30,}\b/, 'a token of Hugging Face'],
  [/\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{32,}\b/, 'an API key'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an access key of AWS'],
  [/\bgh[pousr]_[A-Za-z0-9]{36,}\b/, 'a token of GitHub'],
  [/\bgithub_pat_[A-Za-z0-9_]{50,}\b/, 'a token of GitHub'],
  [/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/, 'a private key'],
];

/** What each of them holds, and how long the shortest is: most texts are done with at once. */
const PART_OF_ANY = /hf_|sk-|AKIA|gh[pousr]_|github_pat_|PRIVATE KEY/;
const SHORTEST = 20;

/** Variables that hold nothing but a secret. */
const SECRETS: Readonly<Record<string, string>> = {
  VLLM_API_KEY: 'the API key',
  HF_TOKEN: 'a token of Hugging Face',
  HUGGING_FACE_HUB_TOKEN: 'a token of Hugging Face',
  HUGGINGFACE_HUB_TOKEN: 'a token of Hugging Face',
  HUGGINGFACE_TOKEN: 'a token of Hugging Face',
  AWS_SECRET_ACCESS_KEY: 'an access key of AWS',
  WANDB_API_KEY: 'a key of Weights & Biases',
};
const FLAGS: Readonly<Record<string, string>> = { '--api-key': 'the API key', '--hf-token': 'a token of Hugging Face' };

/** What stands where the secret is to be put in, or where none is wanted. */
const PLACEHOLDER =
  /[<>{}$%*]|\.\.\.|…|x{3,}|abc-?123|\b(?:your|my|change|replace|insert|put|enter|example|placeholder|dummy|fake|todo|tbd|redacted|empty|none|null|nil|false|true|unused|not-?(?:needed|used|required)|no-?key|test|demo|sample)\b|^(?:hf[_-]|sk-)?(?:key|token|secret|password|api-?key|hf-?token)?$/i;

function isPlaceholder(value: string): boolean {
  // An underscore is part of a word to a regular expression.
  return PLACEHOLDER.test(value.trim().replaceAll('_', '-')) || value.trim().length < 6;
}

function secretIn(text: string, byName: string | undefined): string | undefined {
  const mayHaveForm = text.length >= SHORTEST && PART_OF_ANY.test(text);
  const form = mayHaveForm ? FORMS.find(([pattern]) => pattern.test(text))?.[1] : undefined;
  return form ?? (byName !== undefined && !isPlaceholder(text) ? byName : undefined);
}

interface Found {
  readonly path: string;
  readonly secret: string;
  readonly where: string;
}

function* inContainer(container: Container & Partial<EngineContainer>): Iterable<Found> {
  const values = new Set<string>();
  for (const { name, path, written, origin } of container.environment.variables) {
    const secret = origin === 'container' && written !== undefined ? secretIn(written, own(SECRETS, name)) : undefined;
    if (secret !== undefined) {
      values.add(written!);
      yield { path, secret, where: `variable ${name}` };
    }
  }
  const taken = new Set<string>();
  for (const { name, words } of container.command?.flags ?? []) {
    for (const { text, path } of words) {
      const secret = text.value === undefined ? undefined : secretIn(text.value, own(FLAGS, name));
      // `$(NAME)` is found where the variable is.
      if (secret !== undefined && !values.has(text.value!)) {
        taken.add(path);
        yield { path, secret, where: `flag ${name}` };
      }
    }
  }
  for (const key of ['command', 'args']) {
    for (const [i, word] of listOf(get(container.raw, key)).entries()) {
      const path = `${container.path}.${key}[${i}]`;
      const secret = typeof word === 'string' && !taken.has(path) ? secretIn(word, undefined) : undefined;
      if (secret !== undefined) {
        yield { path, secret, where: key };
      }
    }
  }
}

function own(names: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

function containersOf({ pods }: Workload): (Container & Partial<EngineContainer>)[] {
  return pods.flatMap(({ containers, initContainers, engines }) => {
    const read = new Map(engines.map((engine) => [engine.path, engine]));
    return [...initContainers, ...containers].map((container) => read.get(container.path) ?? container);
  });
}

function* inConfigMap(object: KubernetesObject): Iterable<Found> {
  for (const [key, value] of Object.entries(get(object, 'data') ?? {})) {
    const secret = typeof value === 'string' ? secretIn(value, undefined) : undefined;
    if (secret !== undefined) {
      yield { path: `data['${key}']`, secret, where: `key ${key}` };
    }
  }
}

function* check({ manifests, set }: RuleInput): Iterable<Report> {
  const places = [
    ...manifests.workloads.map((workload) => ({
      object: workload.object,
      found: containersOf(workload).flatMap((container) => [...inContainer(container)]),
    })),
    ...set.ofKind('ConfigMap').map((object) => ({ object, found: [...inConfigMap(object)] })),
  ];
  for (const { object, found } of places) {
    const seen = new Set<string>();
    for (const { path, secret, where } of found) {
      if (!seen.has(path)) {
        seen.add(path);
        yield { object, path, what: `${where} holds ${secret} in plain text` };
      }
    }
  }
}

export const inlineSecret: Rule = {
  id: 'security/inline-secret',
  severity: 'warning',
  title: 'a key or token stands in plain text in a manifest',
  why: 'everyone who can read the manifest, its history or the pod has it',
  fix: 'put it into a Secret, take it from there with valueFrom.secretKeyRef, and replace the one that was written down',
  source: 'Kubernetes documentation, good practices for Secrets',
  get bad() {
    return together(podWith('{ name: VLLM_API_KEY, value: correct-horse-battery-staple }'), POD_SERVICE);
  },
  get good() {
    return together(GUARDED_POD, POD_SERVICE);
  },
  check,
};
