import type { EngineContainer } from '../../../manifest/index';
import { wordsOf } from './engines';

/** When Ray and its helper changed in vLLM's own images. Source: vllm-project/vllm #36170, #40759, #29447. */
export const RAY_SINCE = {
  /** The images hold no Ray any more. */
  leftImage: '0.18.0',
  /** The script moved. */
  scriptMoved: '0.21.0',
  /** A running Ray cluster is no longer taken by itself. */
  explicit: '0.11.1',
} as const;

export const SCRIPT_BEFORE = '/vllm-workspace/examples/online_serving/multi-node-serving.sh';
export const SCRIPT_SINCE = '/vllm-workspace/examples/ray_serving/multi-node-serving.sh';

/** Whether the engine of a container needs Ray: it starts a node of it, or asks for it as executor. */
export function rayPathOf({ command, settings }: EngineContainer): string | undefined {
  return settings?.executor.value === 'ray' ? settings.executor.path : command.ray?.path;
}

/** Whether Ray may come from elsewhere: installed at start, another file in its place, another image by its tag. */
export function mayHaveRay(engine: EngineContainer): boolean {
  const { image, environment } = engine;
  return (
    /\b(install|uv|conda|requirements)\b/.test(wordsOf(engine)) ||
    /ray/i.test(image?.tag ?? '') ||
    environment.get('PYTHONPATH') !== undefined
  );
}
