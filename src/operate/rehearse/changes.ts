import { compareVersions } from '../../common/versions';
import { GIBI } from '../../common/numbers';
import { SINCE } from '../../engine/releases';
import type { Member, RehearsedGroup } from './group';
import type { TinyModel } from './model/tiny';
import type { VllmHere } from './vllm';

/** Something that this machine runs otherwise than the bundle says. */
export interface Change {
  /** A flag, a variable, or what else it is. */
  readonly what: string;
  /** What the bundle says; nothing where it says nothing. */
  readonly bundle?: string;
  readonly here: string;
  readonly why: string;
}

/** What is changed about the engine of every rank. */
export interface EngineChanges {
  readonly changes: readonly Change[];
  /** Set last, whatever a shell line says. */
  readonly variables: ReadonlyMap<string, string>;
  /** Put behind the arguments: the last one of a flag counts. */
  readonly argumentsAdded: readonly string[];
  /** A word of the command line that becomes another one. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Bytes of the KV cache of a rank. */
  readonly cacheBytes: number;
}

/** What this machine has. */
export interface Machine {
  readonly cores: number;
  readonly memoryFree: number;
  /** `amd64` or `arm64`. */
  readonly architecture: string;
  readonly isIsolated: boolean;
}

/** Ports of the leader here, where they are not those of the bundle. */
export interface Ports {
  readonly server: number;
  /** Where ranks meet. */
  readonly master?: number;
}

const CACHE = 'VLLM_CPU_KVCACHE_SPACE';
const BINDING = 'VLLM_CPU_OMP_THREADS_BIND';
const THREADS = 'OMP_NUM_THREADS';

/**
 * What this machine forces upon the ranks, and nothing else.
 * @param needed bytes of the smallest cache that serves one request of full length
 */
export function engineChanges(
  { leader, members }: RehearsedGroup,
  at: { machine: Machine; vllm: VllmHere; model: TinyModel; modelPath: string; needed: number },
  ports: Ports,
): EngineChanges {
  const { machine, vllm, model } = at;
  const changes: Change[] = [];
  const variables = new Map<string, string>();
  const added: string[] = [];
  const replaced = new Map<string, string>();
  const valueOf = (name: string): string | undefined => leader.engine.variable(name)?.text.value;
  const set = (name: string, here: string, why: string): void => {
    variables.set(name, here);
    const bundle = valueOf(name);
    if (bundle !== here) {
      changes.push({ what: name, ...(bundle !== undefined && { bundle }), here, why });
    }
  };
  const add = (flag: string, here: string, why: string, bundle?: string): void => {
    added.push(`${flag}=${here}`);
    changes.push({ what: flag, ...(bundle !== undefined && { bundle }), here, why });
  };

  const { real, shape } = model;
  changes.push({
    what: 'model',
    bundle: real.name,
    here: `a tiny ${shape.architecture}: ${shape.layers} layers, ${shape.attentionHeads} heads, hidden size ${shape.hiddenSize}, vocabulary ${shape.vocabularySize}`,
    why: ['weights are not downloaded', ...model.leftOut.map((each) => `it lacks ${each}`)].join('; '),
  });
  add('--load-format', 'dummy', 'random weights', leader.engine.command.flag('--load-format')?.value);
  if (real.name.startsWith('/') || /^[\w+]+:\/\//.test(real.name)) {
    replaced.set(real.name, at.modelPath);
    if (!leader.settings.servedModelNames.isGiven) {
      added.push(`--served-model-name=${real.name}`);
    }
  }
  const image = leader.engine.image;
  if (image?.version !== vllm.release) {
    changes.push({
      what: 'vLLM',
      bundle: image?.version ?? image?.text ?? 'unknown',
      here: vllm.version,
      why: 'it is the one that is installed here',
    });
  }
  if (image?.architecture !== undefined && image.architecture !== machine.architecture) {
    changes.push({
      what: 'processor',
      bundle: image.architecture,
      here: machine.architecture,
      why: 'it is the one here',
    });
  }

  if (vllm.distribution !== 'vllm') {
    const why = `its command asks for the version of a package vllm, and is installed as ${vllm.distribution}`;
    changes.push({ what: 'PYTHONPATH', here: 'a package of that name, with a version alone', why });
  }

  const flagBytes = leader.settings.kvCacheBytes.value;
  const hasVariable = (valueOf(CACHE) ?? '') !== '';
  let cacheBytes = GIBI * Math.max(1, Math.ceil(at.needed / GIBI));
  if (!hasVariable && flagBytes !== undefined) {
    cacheBytes = Math.min(flagBytes, cacheBytes);
    if (cacheBytes !== flagBytes) {
      add('--kv-cache-memory-bytes', String(cacheBytes), 'memory of this machine', String(flagBytes));
    }
  } else if (!hasVariable || isWhole(valueOf(CACHE))) {
    // What vLLM would refuse is left to it.
    cacheBytes = Math.min(cacheBytes, hasVariable ? Number(valueOf(CACHE)) * GIBI : cacheBytes);
    set(CACHE, String(cacheBytes / GIBI), 'memory of this machine');
  }
  const threads = Math.max(1, Math.floor(machine.cores / members.length));
  const binding = valueOf(BINDING);
  const isList = binding !== undefined && /^[\d,|-]+$/.test(binding);
  const canUnbind = compareVersions(vllm.release, SINCE.unboundThreads) >= 0;
  if (isList || (binding === 'nobind' && !canUnbind)) {
    set(
      BINDING,
      canUnbind ? 'nobind' : 'auto',
      canUnbind ? 'cores of this machine' : `vLLM ${vllm.release} ends on nobind`,
    );
  }
  if (isList || Number(valueOf(THREADS) ?? 0) > threads) {
    set(
      THREADS,
      String(threads),
      `${machine.cores} cores for ${members.length} ${members.length === 1 ? 'rank' : 'ranks'}`,
    );
  }
  set('HF_HUB_OFFLINE', '1', 'nothing is downloaded');
  set('VLLM_NO_USAGE_STATS', '1', 'nothing is sent');
  if (!machine.isIsolated) {
    add('--host', '127.0.0.1', 'ranks share the network of this machine');
    const { port, masterPort } = leader.settings;
    const taken = 'the port is taken on this machine';
    if (ports.server !== port.value) {
      add('--port', String(ports.server), taken, String(port.value));
    }
    // Ranks that do not agree on it stay as they are: that is to be found.
    const isAgreed = members.every(({ settings }) => settings.masterPort.value === masterPort.value);
    if (ports.master !== masterPort.value && members.length > 1 && isAgreed) {
      add('--master-port', String(ports.master), taken, String(masterPort.value));
    }
  }
  return { changes, variables, argumentsAdded: added, replaced, cacheBytes };
}

function isWhole(value: string | undefined): boolean {
  return value !== undefined && /^[1-9]\d{0,5}$/.test(value);
}

/** What no rank gets, whatever its manifest asks for. */
export function podChanges(
  members: readonly Member[],
  madeUp: readonly string[],
  unknown: readonly string[],
): Change[] {
  const { engine, pod } = members[0]!;
  const limits = [...engine.resources.limits].map(([name, { value }]) => `${name} ${value}`);
  const mounts = engine.mounts.map(({ mountPath }) => mountPath).filter((path) => path !== '/dev/shm');
  return [
    ...(madeUp.length > 0
      ? [
          {
            what: 'Secrets and ConfigMaps',
            bundle: madeUp.join(', '),
            here: 'made-up values',
            why: 'they are not in the bundle',
          },
        ]
      : []),
    ...unknown.map((name) => ({ what: name, here: 'not set', why: 'nobody here knows its value' })),
    ...(limits.length > 0
      ? [{ what: 'limits', bundle: limits.join(', '), here: 'none', why: 'no container runs here' }]
      : []),
    ...(mounts.length > 0
      ? [{ what: 'volumes', bundle: mounts.join(', '), here: 'none', why: 'no container runs here' }]
      : []),
    ...(pod.containers.length > pod.engines.length
      ? [
          {
            what: 'other containers',
            bundle: String(pod.containers.length - pod.engines.length),
            here: 'not started',
            why: 'the engine alone is rehearsed',
          },
        ]
      : []),
  ];
}
