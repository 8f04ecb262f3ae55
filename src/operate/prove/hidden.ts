import { wire } from '../../fit/wire';
import type { Wire } from '../../fit/plan-types';
import { readConfig } from '../../model/config';
import { modelOf } from '../../rules/vllm/engine/models';
import type { LivePod } from '../group/live';
import { ClusterFailure, isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';

/** Numbers of a hidden state, and where that is known from. */
export interface Hidden {
  readonly size: number;
  readonly from: string;
}

/**
 * Finds the hidden size of what really runs: a config.json that is given, the one that the leader has loaded, or the catalogue
 * by the model's name.
 */
export async function hiddenOf(
  kubectl: Kubectl,
  leader: LivePod,
  config: { readonly content: unknown; readonly from: string } | undefined,
): Promise<Hidden | undefined> {
  if (config !== undefined) {
    const size = sizeIn(config.content);
    if (size === undefined) {
      throw new ClusterFailure('other', `${config.from} is no config.json of a model whose hidden size is known here`);
    }
    return { size, from: config.from };
  }
  const { engine, settings, name } = leader;
  const loaded = await loadedConfig(kubectl, leader);
  const size = loaded === undefined ? undefined : sizeIn(loaded);
  if (size !== undefined) {
    return { size, from: `the config.json in ${name}` };
  }
  const known = engine && settings ? modelOf({ engine, settings }) : undefined;
  return known && { size: known.hiddenSize, from: `the catalogue (${known.name})` };
}

/** Bytes between the stages; vLLM computes in two bytes a number unless it is told otherwise. */
export function wireFor({ settings }: LivePod, hidden: Hidden | undefined): Wire | undefined {
  return hidden && wire(hidden.size, settings?.dtype.value === 'float32' ? 4 : 2);
}

/** Looks where vLLM looks: a folder that is named as the model, else the cache of Hugging Face. */
const FIND_CONFIG =
  'if [ -f "$1/config.json" ]; then cat "$1/config.json"; exit; fi; ' +
  'hub=${HF_HUB_CACHE:-${HF_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/huggingface}/hub}; ' +
  'name=models--$(echo "$1" | sed s,/,--,g); ref=$(cat "$hub/$name/refs/${2:-main}" 2>/dev/null || echo "$2"); ' +
  'cat "$hub/$name/snapshots/${ref:-none}/config.json" 2>/dev/null || cat "$hub/$name"/snapshots/*/config.json';

async function loadedConfig(kubectl: Kubectl, { name, container, settings }: LivePod): Promise<unknown> {
  const model = settings?.model.value;
  if (model === undefined) {
    return undefined;
  }
  try {
    const command = ['sh', '-c', FIND_CONFIG, 'sh', model, settings?.revision.value ?? ''];
    return JSON.parse(await kubectl.exec(name, container, command));
  } catch (error) {
    // It only makes the prediction sharper: without the right, or without a shell there, the catalogue has to do.
    if (error instanceof SyntaxError || isFailure(error, 'forbidden', 'other', 'not-found', 'late')) {
      return undefined;
    }
    throw error;
  }
}

function sizeIn(config: unknown): number | undefined {
  try {
    return readConfig('model', config).hiddenSize;
  } catch {
    const of = (value: unknown): unknown => (value as { hidden_size?: unknown } | null | undefined)?.hidden_size;
    const size = of(config) ?? of((config as { text_config?: unknown } | null)?.text_config);
    return typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : undefined;
  }
}
