import {
  LWS_LEADER_ADDRESS,
  LWS_NAME_LABEL,
  LWS_PREFIX,
  LWS_WORKER_INDEX,
  LWS_WORKER_INDEX_LABEL,
} from '../engine/lws';
import { Bundle } from './bundle';
import { EngineCommand, readCommand, type Unresolved } from './command';
import type { Container } from './container';
import type { PodSurroundings, Variable } from './environment';
import { booleanOf, dig, get, integerOf, mapOf, textMapOf, textOf } from './json';
import type { KubernetesObject } from './object';
import { type PodSpec, readPodSpec } from './pod';
import { type Labels, labelsOf } from './selector';
import { type EngineSettings, readSettings } from './settings';
import { type RangeOf } from './shell/condition';
import { type Gap, Text } from './text';

/** `single`: a pod that has no other pod to work with, as far as the object says. */
export type Role = 'leader' | 'worker' | 'single';

/** A container that runs vLLM. */
export interface EngineContainer extends Container {
  readonly command: EngineCommand;
  /** What a server is started with; nothing for a Ray worker and for a command that is not read. */
  readonly settings?: EngineSettings;
  /** References in command and args that nothing defines. */
  readonly unresolved: readonly Unresolved[];
  /** What the engine finds under a name, whether the container or its shell line sets it. */
  readonly variable: (name: string) => Pick<Variable, 'text' | 'path'> | undefined;
}

/** The pods of one role. */
export interface RolePod extends PodSpec {
  readonly role: Role;
  /** JSON path of the template: `spec.leaderWorkerTemplate.workerTemplate`. */
  readonly templatePath: string;
  readonly template: unknown;
  /** Whether one template serves leader and workers. */
  readonly isShared: boolean;
  /** Labels of the template and those that LWS adds, with `*` for values that differ from group to group. */
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Indices within a group: 0 alone for a leader. */
  readonly indices: { readonly lowest: number; readonly highest: number };
  readonly engines: readonly EngineContainer[];
  /** The first of them. */
  readonly engine?: EngineContainer;
}

/** An object that makes pods. */
export interface Workload {
  readonly object: KubernetesObject;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Pods of a group; 1 for everything but a LeaderWorkerSet. Nothing when it is not to be read. */
  readonly size?: number;
  /** Copies: groups of a LeaderWorkerSet, pods of others. Nothing when it is not to be read. */
  readonly replicas?: number;
  readonly pods: readonly RolePod[];
  /** The leader, or the only pod. */
  readonly leader: RolePod;
  readonly worker?: RolePod;
}

/** A workload that runs vLLM in at least one of its roles. */
export type EngineGroup = Workload;

/** Something that could not be read. */
export interface Unread extends Gap {
  readonly object: KubernetesObject;
}

export interface Reading {
  /** What runs vLLM. */
  readonly groups: readonly EngineGroup[];
  /** Everything that makes pods, the groups included. */
  readonly workloads: readonly Workload[];
  /** What could not be read of the groups. */
  readonly unread: readonly Unread[];
}

/** Where the pod template stands in each kind; of a Pod it is the object itself. */
const TEMPLATES: Readonly<Record<string, string>> = {
  Deployment: 'spec.template',
  StatefulSet: 'spec.template',
  ReplicaSet: 'spec.template',
  DaemonSet: 'spec.template',
  Job: 'spec.template',
  CronJob: 'spec.jobTemplate.spec.template',
  Pod: '',
};

/** Whether an object is of a kind whose pods are read, and has a template with containers where that kind has it. */
export function isWorkload(object: KubernetesObject): boolean {
  if (object.kind === 'LeaderWorkerSet') {
    return true;
  }
  const path = Object.hasOwn(TEMPLATES, object.kind) ? TEMPLATES[object.kind]! : undefined;
  const keys = path === undefined ? undefined : [...path.split('.').filter(Boolean), 'spec', 'containers'];
  return keys !== undefined && Array.isArray(dig(object, ...keys));
}

/** Reads the deployments of vLLM out of the objects of one bundle. Other kinds, and other programs, are passed by. */
export function readGroups(objects: readonly KubernetesObject[]): Reading {
  const named = objects.filter((object) => typeof dig(object, 'metadata', 'name') === 'string');
  const bundle = new Bundle(named);
  const groups: EngineGroup[] = [];
  const workloads: Workload[] = [];
  const unread: Unread[] = [];
  for (const object of named) {
    const gaps: Gap[] = [];
    const workload = readWorkload(object, bundle, gaps);
    if (workload !== undefined) {
      workloads.push(workload);
      if (workload.pods.some(({ engine }) => engine !== undefined)) {
        groups.push(workload);
        gaps.push(...workload.pods.flatMap(unknownRole));
        unread.push(...withoutRepeats(gaps).map((gap) => ({ ...gap, object })));
      }
    }
  }
  return { groups, workloads, unread };
}

/** A role of a group that runs vLLM in another one. */
function unknownRole({ role, path, engine }: RolePod): Gap[] {
  const why = 'none of its containers is known to run vLLM';
  return engine === undefined ? [{ path: `${path}.containers`, what: `what the ${role} runs`, why }] : [];
}

function withoutRepeats(gaps: readonly Gap[]): Gap[] {
  return [...new Map(gaps.map((gap) => [JSON.stringify([gap.path, gap.what, gap.why]), gap])).values()];
}

function readWorkload(object: KubernetesObject, bundle: Bundle, unread: Gap[]): Workload | undefined {
  const kind = typeof object.kind === 'string' ? object.kind : '';
  const { name } = object.metadata;
  const namespace = textOf(object.metadata.namespace) ?? '';
  const base = { object, kind, name, namespace };
  if (kind === 'LeaderWorkerSet') {
    const workload = readLws(object, bundle, unread);
    return { ...base, ...workload };
  }
  if (!Object.hasOwn(TEMPLATES, kind)) {
    return undefined;
  }
  const templatePath = TEMPLATES[kind]!;
  const template = templatePath === '' ? object : dig(object, ...templatePath.split('.'));
  const replicas = kind === 'Pod' ? 1 : count(object, 'spec.replicas', 0, unread);
  const leader = readRole({ object, bundle, unread, namespace, role: 'single', templatePath, template, size: 1 });
  return { ...base, size: 1, ...(replicas !== undefined && { replicas }), pods: [leader], leader };
}

/** A whole number that is 1 when it is not written. */
function count(object: KubernetesObject, path: string, least: number, unread: Gap[]): number | undefined {
  const raw = dig(object, ...path.split('.'));
  const value = raw === undefined || raw === null ? 1 : integerOf(raw);
  if (value === undefined || value < least) {
    unread.push({ path, what: path.slice(path.lastIndexOf('.') + 1), why: `it is no whole number from ${least}` });
    return undefined;
  }
  return value;
}

function readLws(object: KubernetesObject, bundle: Bundle, unread: Gap[]) {
  const templates = dig(object, 'spec', 'leaderWorkerTemplate');
  const size = count(object, 'spec.leaderWorkerTemplate.size', 1, unread);
  const replicas = count(object, 'spec.replicas', 0, unread);
  const ownLeader = mapOf(get(templates, 'leaderTemplate'));
  const workerTemplate = get(templates, 'workerTemplate');
  const common = { object, bundle, unread, namespace: textOf(object.metadata.namespace) ?? '', size };
  const isShared = ownLeader === undefined && size !== 1;
  const leader = readRole({
    ...common,
    role: size === 1 ? 'single' : 'leader',
    templatePath: `spec.leaderWorkerTemplate.${ownLeader === undefined ? 'workerTemplate' : 'leaderTemplate'}`,
    template: ownLeader ?? workerTemplate,
    isShared,
  });
  const worker =
    size === 1
      ? undefined
      : readRole({
          ...common,
          role: 'worker',
          templatePath: 'spec.leaderWorkerTemplate.workerTemplate',
          template: workerTemplate,
          isShared,
        });
  return {
    ...(size !== undefined && { size }),
    ...(replicas !== undefined && { replicas }),
    pods: worker ? [leader, worker] : [leader],
    leader,
    ...(worker && { worker }),
  };
}

interface RoleProps {
  readonly object: KubernetesObject;
  readonly bundle: Bundle;
  readonly unread: Gap[];
  readonly namespace: string;
  readonly role: Role;
  readonly templatePath: string;
  readonly template: unknown;
  readonly isShared?: boolean;
  readonly size: number | undefined;
}

function readRole(props: RoleProps): RolePod {
  const { object, bundle, unread, namespace, role, templatePath, template, size } = props;
  const isLws = object.kind === 'LeaderWorkerSet';
  const indices =
    role === 'worker' ? { lowest: 1, highest: size === undefined ? Infinity : size - 1 } : { lowest: 0, highest: 0 };
  const labels = new Map([...labelsOf(template), ...(isLws ? lwsLabels(object, role, indices) : [])]);
  const addedAnnotations: Labels =
    isLws && size !== undefined ? new Map([[`${LWS_PREFIX}size`, String(size)]]) : new Map();
  const spec = get(template, 'spec');
  const surroundings: PodSurroundings = {
    bundle,
    namespace,
    template,
    labels,
    addedAnnotations,
    injected: isLws ? lwsVariables(role, size) : new Map(),
    hasServiceLinks: booleanOf(get(spec, 'enableServiceLinks')) ?? true,
  };
  const pod = readPodSpec(spec, templatePath === '' ? 'spec' : `${templatePath}.spec`, surroundings, unread);
  const rangeOf: RangeOf = (text) => {
    if (isLws && text.source === LWS_WORKER_INDEX) {
      return indices;
    }
    const value = text.value?.trim();
    return value !== undefined && /^[+-]?\d{1,15}$/.test(value)
      ? { lowest: Number(value), highest: Number(value) }
      : undefined;
  };
  const engines = pod.containers.flatMap((container) => readEngine(container, rangeOf, unread) ?? []);
  return {
    ...pod,
    role,
    templatePath,
    template,
    isShared: props.isShared ?? false,
    labels,
    annotations: new Map([...textMapOf(dig(template, 'metadata', 'annotations')), ...addedAnnotations]),
    indices,
    engines,
    ...(engines[0] && { engine: engines[0] }),
  };
}

/** Labels that LWS puts on its pods; those that differ from group to group are `*`. */
function lwsLabels(object: KubernetesObject, role: Role, indices: RolePod['indices']): [string, string][] {
  const index = role !== 'worker' ? '0' : indices.highest === 1 ? '1' : '*';
  const varying = ['group-index', 'group-key', 'template-revision-hash'].map((key): [string, string] => [
    LWS_PREFIX + key,
    '*',
  ]);
  return [[LWS_NAME_LABEL, object.metadata.name], [LWS_WORKER_INDEX_LABEL, index], ...varying];
}

/** Variables that LWS puts first, in its order. Source: pkg/utils/pod of sigs.k8s.io/lws. */
function lwsVariables(role: Role, size: number | undefined): ReadonlyMap<string, Text> {
  const hole = (source: string, why: string, isSharedByGroup: boolean) =>
    Text.hole({ source, isSharedByGroup, isOneWord: true, why });
  return new Map([
    [LWS_LEADER_ADDRESS, hole(LWS_LEADER_ADDRESS, 'LWS sets it for each group', true)],
    [
      'LWS_GROUP_SIZE',
      size === undefined ? hole('LWS_GROUP_SIZE', 'the size of the group is not known', true) : Text.of(String(size)),
    ],
    // A worker's stays open even in a group of two: it is the index, not the number, that the manifest says.
    [LWS_WORKER_INDEX, role === 'worker' ? hole(LWS_WORKER_INDEX, 'each worker has its own', false) : Text.of('0')],
  ]);
}

/** A container's engine; nothing when it runs something else. */
function readEngine(container: Container, rangeOf: RangeOf, unread: Gap[]): EngineContainer | undefined {
  const { path, raw, environment, image } = container;
  const read = readCommand(raw, path, { environment, image, rangeOf });
  const command = read.command ?? unknownEntrypoint(container);
  if (command === undefined) {
    return undefined;
  }
  const said = new Set(read.unread.map((gap) => gap.path));
  unread.push(...read.unread, ...command.hidden.filter((gap) => !said.has(gap.path)));
  if (command.form === 'unreadable') {
    unread.push({ path: command.path, what: 'the command', why: command.why ?? 'it is not known' });
  }
  if (command.maybe !== undefined) {
    unread.push({ path: command.path, what: 'whether the command runs', why: command.maybe });
  }
  const isServer = command.form === 'serve' || command.form === 'module';
  return {
    ...container,
    command,
    ...(isServer && { settings: readSettings(command, environment) }),
    unresolved: read.unresolved,
    variable: (name) => {
      const own = command.variables.get(name);
      return own === undefined ? environment.get(name) : { text: own, path: command.path };
    },
  };
}

/** An image of vLLM that is not one of its own: without a command nobody can say what it starts. */
function unknownEntrypoint({ image, path, raw }: Container): EngineCommand | undefined {
  const hasCommand = Array.isArray(get(raw, 'command')) && (get(raw, 'command') as unknown[]).length > 0;
  return image?.isVllm === true && !hasCommand
    ? new EngineCommand({
        form: 'unreadable',
        path,
        words: [],
        image,
        why: `the entrypoint of ${image.text} is not known`,
      })
    : undefined;
}
