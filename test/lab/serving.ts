import { expect } from 'vitest';
import type { KubernetesObject } from '../../src/manifest/object';
import { lab } from './harness/given';
import { note } from './harness/lab';
import { type Answer, ask } from './http';
import { addressOf, apply, type Pod, readyPods } from './live';

export const NAMESPACE = 'vllm';
export const MODEL = 'google/gemma-3-1b-it';
/** What the person brings who installs a bundle. */
export const API_KEY = 'the-key-of-the-lab';
export const PASSWORD = 'the-password-of-the-lab';

const CHAT = '/v1/chat/completions';

/** Applies a bundle with the Secrets that it names. */
export async function install(objects: readonly KubernetesObject[]): Promise<void> {
  const secrets = {
    'hf-token': { token: 'none' },
    'vllm-api-key': { key: API_KEY },
    'chat-password': { password: PASSWORD },
  };
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace');
  await apply(
    namespaces.length > 0 ? namespaces : [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }],
  );
  await apply(
    Object.entries(secrets).map(([name, stringData]) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: NAMESPACE },
      stringData,
    })),
  );
  await apply(objects.filter(({ kind }) => kind !== 'Namespace'));
}

/** Installs a bundle and waits for both pods of its group. */
export async function serving(name: string, objects: readonly KubernetesObject[]): Promise<readonly Pod[]> {
  await install(objects);
  const applied = Date.now();
  note(lab(), `${name}: applied`);
  const pods = await readyPods(NAMESPACE, 'app=vllm-gemma', 2);
  note(lab(), `${name}: both pods are Ready, ${seconds(applied)} s after that`);
  return pods;
}

interface Completion {
  readonly model: string;
  readonly choices: readonly { readonly finish_reason: string; readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** Asks through the Service for as many tokens, the likeliest ones. */
export async function complete(tokens: number, key: string | null = API_KEY): Promise<Answer> {
  return await ask({
    url: (await addressOf(NAMESPACE, 'vllm-leader')) + CHAT,
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
    body: {
      model: MODEL,
      messages: [{ role: 'user', content: 'Which two nodes are you on?' }],
      max_tokens: tokens,
      temperature: 0,
      ignore_eos: true,
    },
  });
}

/** The completion in an answer that has to be one. */
export function completionIn({ status, text }: Answer): Completion {
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return JSON.parse(text) as Completion;
}

export function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1);
}
