import { booleanOf, dig, get, type Probe, textOf } from '../../../manifest';
import { type EngineAt, isReadWhole } from './engines';
import { modelOf } from './models';

/** Processes, kernels and the warm-up of the smallest models: nobody who chose a budget for the start can mean less. */
const WITHOUT_FILES_SECONDS = 60;
/** What no start of a real model stays below, with the files on disk already. */
const SHORTEST_START_SECONDS = 90;
/** Faster than the disks and networks that weights come over. */
const FILE_BYTES_PER_SECOND = 2e9;

/** Seconds that a probe has to bear for an engine to start at all; one that is made for the start is believed more. */
export function shortestStart(at: EngineAt, isStartup = false): number {
  if (isStartup) {
    return WITHOUT_FILES_SECONDS;
  }
  const files = at.engine.command.flag('--load-format')?.value === 'dummy' ? 0 : (modelOf(at)?.weightsBytes ?? 0);
  return Math.max(SHORTEST_START_SECONDS, Math.round(WITHOUT_FILES_SECONDS + files / FILE_BYTES_PER_SECOND));
}

/** What vLLM itself gives a start, unless VLLM_ENGINE_READY_TIMEOUT_S says otherwise. */
export const DEFAULT_READY_SECONDS = 600;

/** The probes of a container, in the order that the kubelet runs them. */
export function probesOf({ engine }: Pick<EngineAt, 'engine'>): Probe[] {
  return [engine.startupProbe, engine.readinessProbe, engine.livenessProbe].filter((probe) => probe !== undefined);
}

/** Whether a probe goes over the network to the pod itself, and not to some other host. */
function isOwn(probe: Probe, { engine }: Pick<EngineAt, 'engine'>): boolean {
  const key = probe.path.slice(probe.path.lastIndexOf('.') + 1);
  const action = { http: 'httpGet', tcp: 'tcpSocket' }[probe.kind as 'http' | 'tcp'];
  return action !== undefined && textOf(dig(engine.raw, key, action, 'host')) === undefined;
}

/** Whether the port of the server is known, be it the default. */
export function isPortKnown(at: EngineAt): boolean {
  const { port } = at.settings;
  return port.value !== undefined && (port.isGiven || isReadWhole(at));
}

/** Probes that ask the port which the engine's server listens on. */
export function serverProbes(at: EngineAt): Probe[] {
  const { port, headless } = at.settings;
  return headless.value === false && isPortKnown(at) && at.engine.command.isSet('--uds') === false
    ? probesOf(at).filter((probe) => isOwn(probe, at) && probe.port !== undefined && probe.port === port.value)
    : [];
}

/**
 * Probes of a pod in which nothing but the engine could answer: no other container, and nothing that a script leaves in
 * the background.
 */
export function engineAloneProbes(at: EngineAt): Probe[] {
  const { engine, pod } = at;
  const mayHaveHelpers =
    pod.containers.length > 1 ||
    pod.initContainers.some(({ raw }) => get(raw, 'restartPolicy') === 'Always') ||
    booleanOf(dig(pod.raw, 'hostNetwork')) === true ||
    engine.command.ray !== undefined ||
    (engine.command.isShell && /[^&]&[^&]/.test(JSON.stringify([get(engine.raw, 'command'), get(engine.raw, 'args')])));
  return mayHaveHelpers ? [] : probesOf(at).filter((probe) => isOwn(probe, at));
}

/** The name of a probe as it is written. */
export function probeName({ path }: Probe): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
