import type { Container } from '../../manifest/container';
import type { EngineContainer, RolePod, Workload } from '../../manifest/groups';
import { get, listOf, textOf } from '../../manifest/json';

/** A pod template. */
export interface PlacedPod {
  readonly workload: Workload;
  readonly pod: RolePod;
  /** How many roles the template serves. */
  readonly roles: number;
}

/** A word of `command` or `args` as it is written. */
export interface WrittenWord {
  readonly text: string;
  readonly path: string;
}

/** A container of a pod template. */
export interface PlacedContainer extends PlacedPod {
  readonly container: Container;
  /** What it is when it runs vLLM. */
  readonly engine?: EngineContainer;
  readonly command: readonly WrittenWord[];
  readonly args: readonly WrittenWord[];
}

interface Placed {
  readonly pods: readonly PlacedPod[];
  readonly containers: readonly PlacedContainer[];
}

/** Made once for a list of workloads, since many rules go over them. */
const places = new WeakMap<readonly Workload[], Placed>();

function placed(workloads: readonly Workload[]): Placed {
  const known = places.get(workloads);
  if (known !== undefined) {
    return known;
  }
  const pods = workloads.flatMap((workload) =>
    workload.pods.flatMap((pod, i): PlacedPod[] => {
      const same = workload.pods.filter(({ templatePath }) => templatePath === pod.templatePath);
      return same[0] === workload.pods[i] ? [{ workload, pod, roles: same.length }] : [];
    }),
  );
  const containers = pods.flatMap((place) =>
    [...place.pod.initContainers, ...place.pod.containers].map((container): PlacedContainer => {
      const engine = place.pod.engines.find(({ path }) => path === container.path);
      return {
        ...place,
        container,
        ...(engine && { engine }),
        command: wordsOf(container, 'command'),
        args: wordsOf(container, 'args'),
      };
    }),
  );
  const made = { pods, containers };
  places.set(workloads, made);
  return made;
}

/** Every pod template once: one that serves both roles is read for the leader. */
export function eachPod(workloads: readonly Workload[]): readonly PlacedPod[] {
  return placed(workloads).pods;
}

/** Every container once, init containers too. */
export function eachContainer(workloads: readonly Workload[]): readonly PlacedContainer[] {
  return placed(workloads).containers;
}

function wordsOf({ raw, path }: Container, key: 'command' | 'args'): WrittenWord[] {
  return listOf(get(raw, key)).flatMap((word, i) => {
    const text = textOf(word);
    return text === undefined ? [] : [{ text, path: `${path}.${key}[${i}]` }];
  });
}

const SHELL = /^(?:.*\/)?(?:ba|da|a|z|k)?sh$/;

/** Whether a shell may read the words: it is one of them, or nobody knows what the image starts. */
export function mayBeShell({ engine, command, args }: PlacedContainer): boolean {
  if (engine !== undefined && engine.command.form !== 'unreadable') {
    return engine.command.isShell;
  }
  return command.length === 0 || [...command, ...args].some(({ text }) => SHELL.test(text));
}
