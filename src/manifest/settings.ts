import { DEFAULT_MASTER_PORT, DEFAULT_PORT } from '../engine/server';
import type { FlagUse } from './arguments';
import { numberOf, type EngineCommand } from './command';
import type { Environment } from './environment';
import type { Text } from './text';

/** A value that the engine starts with, and where it is said. */
export interface Setting<Value> {
  /** Nothing when it is not given and has no default, or is not known: then `why` says so. */
  readonly value?: Value;
  /** JSON path of the evidence: of the flag or variable, or of the arguments where it would stand. */
  readonly path: string;
  /** Whether the manifest says it; otherwise the value is vLLM's default. */
  readonly isGiven: boolean;
  readonly why?: string;
  readonly text?: Text;
  /** The flag that says it. */
  readonly flag?: FlagUse;
}

/** `worker-index`: each worker takes the index that LWS gives it. */
export type NodeRank = number | 'worker-index';

/** What one rank of the engine is started with. */
export interface EngineSettings {
  readonly model: Setting<string>;
  readonly revision: Setting<string>;
  readonly servedModelNames: Setting<readonly string[]>;
  readonly pipelineParallelSize: Setting<number>;
  readonly tensorParallelSize: Setting<number>;
  readonly dataParallelSize: Setting<number>;
  readonly dataParallelSizeLocal: Setting<number>;
  readonly dataParallelRank: Setting<number>;
  readonly dataParallelStartRank: Setting<number>;
  readonly dataParallelAddress: Setting<string>;
  readonly dataParallelBackend: Setting<string>;
  readonly dataParallelHybridLb: Setting<boolean>;
  readonly dataParallelExternalLb: Setting<boolean>;
  readonly nnodes: Setting<number>;
  readonly nodeRank: Setting<NodeRank>;
  readonly masterAddr: Setting<string>;
  readonly masterPort: Setting<number>;
  readonly headless: Setting<boolean>;
  /** `--distributed-executor-backend`. */
  readonly executor: Setting<string>;
  readonly dtype: Setting<string>;
  readonly quantization: Setting<string>;
  readonly kvCacheDtype: Setting<string>;
  /** KV cache of a rank by flag. */
  readonly kvCacheBytes: Setting<number>;
  /** KV cache of a rank by variable, in GiB; it beats the flag. */
  readonly kvCacheSpaceGiB: Setting<number>;
  readonly maxModelLen: Setting<number>;
  readonly maxNumSeqs: Setting<number>;
  readonly maxNumBatchedTokens: Setting<number>;
  readonly blockSize: Setting<number>;
  readonly gpuMemoryUtilization: Setting<number>;
  readonly enforceEager: Setting<boolean>;
  /** 0 with `--enforce-eager`, `-O0`, `-cc.mode=0` or `none`; not given when nothing says a mode. */
  readonly compilationMode: Setting<number>;
  readonly trustRemoteCode: Setting<boolean>;
  readonly port: Setting<number>;
  readonly host: Setting<string>;
  /** Whether a key guards the API, by flag or variable; its value is nobody's business here. */
  readonly apiKey: Setting<boolean>;
  /** Whether a token for Hugging Face is given. */
  readonly huggingFaceToken: Setting<boolean>;
  /** Ranks of the whole engine: pipeline × tensor × data parallel. */
  readonly worldSize: number | undefined;
}

const MODES: Readonly<Record<string, number>> = {
  none: 0,
  stock_torch_compile: 1,
  dynamo_trace_once: 2,
  vllm_compile: 3,
};
function modeOf(value = ''): number | undefined {
  const name = value.toLowerCase();
  return Object.hasOwn(MODES, name) ? MODES[name] : integer(value);
}

/** A number as Python's int() takes it. */
function integer(value: string): number | undefined {
  return /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined;
}

const KEY_VARIABLES = ['VLLM_API_KEY'];
const TOKEN_VARIABLES = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN'];

/** Works out what a server's command and environment come to. */
export function readSettings(command: EngineCommand, environment: Environment): EngineSettings {
  const reader = new SettingsReader(command, environment);
  const { text, number, onOff } = reader;
  const pipelineParallelSize = number('--pipeline-parallel-size', 1);
  const tensorParallelSize = number('--tensor-parallel-size', 1);
  const dataParallelSize = number('--data-parallel-size', 1);
  const sizes = [pipelineParallelSize, tensorParallelSize, dataParallelSize].map(({ value }) => value);
  return {
    model: reader.model(),
    revision: text('--revision'),
    servedModelNames: reader.names('--served-model-name'),
    pipelineParallelSize,
    tensorParallelSize,
    dataParallelSize,
    dataParallelSizeLocal: number('--data-parallel-size-local'),
    dataParallelRank: number('--data-parallel-rank'),
    dataParallelStartRank: number('--data-parallel-start-rank'),
    dataParallelAddress: text('--data-parallel-address'),
    dataParallelBackend: text('--data-parallel-backend', 'mp'),
    dataParallelHybridLb: onOff('--data-parallel-hybrid-lb'),
    dataParallelExternalLb: onOff('--data-parallel-external-lb'),
    nnodes: number('--nnodes', 1),
    nodeRank: reader.nodeRank(),
    masterAddr: text('--master-addr', '127.0.0.1'),
    masterPort: number('--master-port', DEFAULT_MASTER_PORT),
    headless: onOff('--headless'),
    executor: text('--distributed-executor-backend'),
    dtype: text('--dtype', 'auto'),
    quantization: text('--quantization'),
    kvCacheDtype: text('--kv-cache-dtype', 'auto'),
    kvCacheBytes: number('--kv-cache-memory-bytes'),
    kvCacheSpaceGiB: reader.variable('VLLM_CPU_KVCACHE_SPACE', integer),
    maxModelLen: number('--max-model-len'),
    maxNumSeqs: number('--max-num-seqs'),
    maxNumBatchedTokens: number('--max-num-batched-tokens'),
    blockSize: number('--block-size'),
    gpuMemoryUtilization: number('--gpu-memory-utilization'),
    enforceEager: onOff('--enforce-eager'),
    compilationMode: reader.compilationMode(),
    trustRemoteCode: onOff('--trust-remote-code'),
    port: number('--port', DEFAULT_PORT),
    host: text('--host'),
    apiKey: reader.secret('--api-key', KEY_VARIABLES),
    huggingFaceToken: reader.secret('--hf-token', TOKEN_VARIABLES),
    worldSize: sizes.every((size) => size !== undefined) ? sizes.reduce((all, size) => all * size, 1) : undefined,
  };
}

class SettingsReader {
  public constructor(
    private readonly command: EngineCommand,
    private readonly environment: Environment,
  ) {}

  public readonly text = (name: string, otherwise?: string): Setting<string> =>
    this.of(name, (use) => use.value, otherwise);

  public readonly number = (name: string, otherwise?: number): Setting<number> =>
    this.of(
      name,
      ({ value }) => (value === undefined ? undefined : numberOf(value, name)),
      otherwise,
      'it is no number',
    );

  public readonly onOff = (name: string): Setting<boolean> => this.of(name, ({ value }) => value === 'true', false);

  public names(name: string): Setting<readonly string[]> {
    return this.of(name, ({ words }) => words.flatMap(({ text }) => text.value ?? []));
  }

  public model(): Setting<string> {
    const word = this.command.form === 'serve' ? this.command.model : undefined;
    if (word === undefined) {
      return this.text('--model');
    }
    // Since `--model` is moved to the front, it wins over a positional model, which is then refused.
    const flag = this.command.flags.find(({ spelling }) => spelling === '--model');
    if (flag !== undefined) {
      return this.text('--model');
    }
    const { text, path } = word;
    return {
      ...(text.value === undefined ? { why: text.why ?? '' } : { value: text.value }),
      text,
      path,
      isGiven: true,
    };
  }

  public nodeRank(): Setting<NodeRank> {
    const use = this.command.flag('--node-rank');
    const isIndex = use?.text.source === 'LWS_WORKER_INDEX' && use.words[0]?.maySplit === undefined;
    return use && isIndex
      ? { value: 'worker-index', path: use.path, isGiven: true, text: use.text, flag: use }
      : this.number('--node-rank', 0);
  }

  public compilationMode(): Setting<number> {
    const eager = this.onOff('--enforce-eager');
    if (eager.value === true) {
      return { ...eager, value: 0 };
    }
    const mode = this.of('--compilation-config.mode', ({ value }) => modeOf(value));
    const level = this.number('--optimization-level');
    return mode.isGiven ? mode : level.value === 0 ? level : { ...mode, ...(level.why && { why: level.why }) };
  }

  public variable<Value>(name: string, read: (value: string) => Value | undefined): Setting<Value> {
    const found = this.find(name);
    if (found === undefined) {
      const isRead = this.environment.unread.length === 0;
      return { path: this.command.path, isGiven: false, ...(!isRead && { why: 'not all of the environment is read' }) };
    }
    const { text, path } = found;
    const value = text.value === undefined ? undefined : read(text.value);
    const why = text.value === undefined ? (text.why ?? '') : 'it is not what the engine takes';
    return { path, isGiven: true, text, ...(value === undefined ? { why } : { value }) };
  }

  public secret(flag: string, variables: readonly string[]): Setting<boolean> {
    const use = this.command.flag(flag);
    if (use !== undefined) {
      return { value: true, path: use.path, isGiven: true, flag: use };
    }
    for (const name of variables) {
      const found = this.find(name);
      if (found !== undefined && found.text.value !== '') {
        return { value: true, path: found.path, isGiven: true, text: found.text };
      }
    }
    const isKnown = this.command.isComplete && this.environment.unread.length === 0;
    const path = this.command.path;
    return isKnown ? { value: false, path, isGiven: false } : { path, isGiven: false, why: this.whyHidden() };
  }

  private find(name: string): { text: Text; path: string } | undefined {
    const own = this.command.variables.get(name);
    return own === undefined ? this.environment.get(name) : { text: own, path: this.command.path };
  }

  private of<Value>(
    name: string,
    read: (use: FlagUse) => Value | undefined,
    otherwise?: Value,
    whyNot = 'it is not known',
  ): Setting<Value> {
    const flag = this.command.flag(name);
    if (flag === undefined) {
      const path = this.command.path;
      return this.command.isComplete
        ? { path, isGiven: false, ...(otherwise !== undefined && { value: otherwise }) }
        : { path, isGiven: false, why: this.whyHidden() };
    }
    const value = flag.value === undefined ? undefined : read(flag);
    const why = flag.why ?? whyNot;
    return { path: flag.path, isGiven: true, text: flag.text, flag, ...(value === undefined ? { why } : { value }) };
  }

  private whyHidden(): string {
    return this.command.hidden[0]?.why ?? this.command.maybe ?? 'not all of the environment is read';
  }
}
