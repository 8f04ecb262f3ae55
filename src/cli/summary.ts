import { quantityOf } from '../common/numbers';
import { ALB } from '../constructs/alb-annotations';
import type { VllmPipelineGroup } from '../constructs/vllm-pipeline-group';
import { stagesOf } from '../fit/split';
import { acceptedFindings } from '../rules/accepted';
import { type KubernetesObject, nameOf } from '../rules/finding';
import { runRules } from '../rules/index';
import { balancerSections } from './balancers';
import { losses } from './losses';
import { type ControllerVersions, prerequisites } from './prerequisites';
import { restarts } from './restarts';

/** A file of the bundle, as it was written. */
export interface BundleFile {
  /** As the person knows it. */
  readonly path: string;
  readonly text: string;
  readonly objects: readonly KubernetesObject[];
}

/** What a summary is made from. */
export interface SummaryInput {
  readonly folder: string;
  readonly files: readonly BundleFile[];
  /** The objects of the bundle that was there before; none when there was none that could be read. */
  readonly previous: readonly KubernetesObject[] | undefined;
  readonly groups: readonly VllmPipelineGroup[];
  readonly versions: ControllerVersions;
}

const WIDTH = 80;
const MAX_RESTART_LINES = 20;

/** The summary of a synthesis, for a terminal of 80 columns. */
export function summary(input: SummaryInput): string {
  const objects = input.files.flatMap((file) => file.objects);
  return [
    input.files.map(({ path, text, objects: { length } }) => {
      return `${path} (${count(length, 'object')}, ${Math.ceil(Buffer.byteLength(text) / 1024)} KiB)`;
    }),
    section('Objects', table(objects.map((object) => [object.kind, object.metadata.name, detail(object)]))),
    ...input.groups.flatMap((group) => [splitSection(group), planSection(group)]),
    ...balancerSections(objects),
    warningSection(input, objects),
    acceptedSection(objects),
    restartSection(input.previous, objects),
    prerequisiteSection(objects, input),
    section('Worth knowing', notes(objects)),
    section('Then', then(input, objects)),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .concat('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/** Columns as wide as their longest cell, two spaces apart. */
function table(rows: readonly string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** Breaks a sentence at spaces; the following lines stand deeper. */
export function wrap(text: string, indent: number, following = indent): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.split(' ')) {
    if (line.trim() && line.length + word.length + 1 > WIDTH - 2) {
      lines.push(line);
      line = ' '.repeat(following);
    }
    line += line.trim() ? ` ${word}` : word;
  }
  return [...lines, line];
}

function detail(object: KubernetesObject): string {
  const spec = (object.spec ?? {}) as {
    replicas?: number;
    maxUnavailable?: number;
    leaderWorkerTemplate?: { size?: number };
    ports?: { port: number }[];
    rules?: { http?: { paths?: { path?: string; backend?: { service?: { name?: string } } }[] } }[];
  };
  switch (object.kind) {
    case 'LeaderWorkerSet':
      return `${count(spec.replicas ?? 1, 'group')} of ${count(spec.leaderWorkerTemplate?.size ?? 1, 'pod')}`;
    case 'Deployment':
      return count(spec.replicas ?? 1, 'pod');
    case 'Service':
      return spec.ports?.length ? `port ${spec.ports.map(({ port }) => port).join(', ')}` : 'no ports';
    case 'PodDisruptionBudget':
      return spec.maxUnavailable
        ? `${count(spec.maxUnavailable, 'pod')} may be evicted at once`
        : 'no pod may be evicted';
    case 'Ingress':
      return (spec.rules ?? [])
        .flatMap((rule) => rule.http?.paths ?? [])
        .map(({ path = '/', backend }) => `${path} to ${backend?.service?.name ?? 'a resource'}`)
        .join(', ');
    default:
      return '';
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

function splitSection(group: VllmPipelineGroup): string[] {
  const { layersPerStage } = group.plan;
  const ranksPerStage = group.size / layersPerStage.length;
  const rows = stagesOf(layersPerStage).flatMap(({ first, last }, stage) =>
    Array.from({ length: ranksPerStage }, (_, i) => {
      const rank = stage * ranksPerStage + i;
      return [
        `rank ${rank}`,
        rank === 0 ? 'leader' : 'worker',
        `layers ${first} to ${last}`,
        `${last - first + 1} of ${group.model.layers}`,
      ];
    }),
  );
  return section(`Split of ${group.model.name} (${group.groupName})`, table(rows));
}

/** Every number of the plan; those that nobody gave are marked. */
function planSection({ plan }: VllmPipelineGroup): string[] {
  const values: [string, string][] = [
    ['cpu', plan.cpu.toQuantity()],
    ['threads', String(plan.threads)],
    ['memory', quantityOf(plan.memory)],
    ['kvCacheMemory', `${quantityOf(plan.kvCacheMemory)} per rank`],
    ['sharedMemory', quantityOf(plan.sharedMemory)],
    ['ephemeralStorage', quantityOf(plan.ephemeralStorage)],
    ['maxModelLen', `${plan.maxModelLen} tokens`],
    ...(plan.maxNumBatchedTokens === undefined
      ? []
      : [['maxNumBatchedTokens', `${plan.maxNumBatchedTokens} tokens`] as [string, string]]),
    ['startupBudget', `${plan.startupBudget.toSeconds()} s`],
    ['stepTimeout', `${plan.stepTimeout.toSeconds()} s`],
    ['stallTimeout', `${plan.stallTimeout.toSeconds()} s`],
  ];
  return section(
    'Values of a pod (planned: set the prop of that name to choose another)',
    table(values.map(([name, value]) => [name, value, plan.planned.includes(name) ? 'planned' : 'given'])),
  );
}

/** What the plans and the rules say of objects that work and have their price; what was accepted is in the next section. */
function warningSection({ groups, versions }: SummaryInput, objects: readonly KubernetesObject[]): string[] {
  const lines = groups.flatMap(({ groupName, plan }) => {
    const object = objects.find(({ kind, metadata }) => kind === 'LeaderWorkerSet' && metadata.name === groupName);
    const accepted = acceptedFindings(object?.metadata.annotations);
    return plan._plan.warnings
      .filter(({ id }) => !accepted.has(id))
      .flatMap(({ id, what, why, fix }) => [`${id} on ${groupName}`, ...wrap(`${what}; ${why}: ${fix}`, 2)]);
  });
  const ofRules = runRules(objects, versions)
    .filter(
      ({ id, severity, object }) => severity === 'warning' && !acceptedFindings(object.metadata.annotations).has(id),
    )
    .flatMap(({ id, object, path, what, why, fix }) => [
      ...wrap(`${id} on ${nameOf(object)} ${path}`, 0, 2),
      ...wrap(`${what}; ${why}: ${fix}`, 2),
    ]);
  return section('Warnings', [...lines, ...ofRules]);
}

function acceptedSection(objects: readonly KubernetesObject[]): string[] {
  const lines = objects.flatMap((object) =>
    [...acceptedFindings(object.metadata.annotations)].flatMap(([id, reason]) => [
      `${id} on ${nameOf(object)}`,
      ...wrap(reason, 2),
    ]),
  );
  return section('Accepted findings', lines);
}

function restartSection(previous: SummaryInput['previous'], objects: readonly KubernetesObject[]): string[] {
  const title = 'Compared with what was there, an apply restarts';
  if (previous === undefined) {
    return section(title, ['nothing to compare with: there was no bundle that could be read']);
  }
  const lines = restarts(previous, objects);
  const shown = lines
    .slice(0, MAX_RESTART_LINES)
    .flatMap((line) => wrap(line.trimStart(), line.length - line.trimStart().length, 2));
  const more = lines.length - MAX_RESTART_LINES;
  return section(title, lines.length === 0 ? ['nothing'] : more > 0 ? [...shown, `and ${more} lines more`] : shown);
}

function prerequisiteSection(objects: readonly KubernetesObject[], { groups, versions }: SummaryInput): string[] {
  const gated = new Map(
    groups.filter(({ model }) => model.gated).map(({ model }): [string, typeof model] => [model.name, model]),
  );
  const steps = prerequisites(objects, [...gated.values()], versions);
  return section(
    'What must exist first',
    steps.flatMap(({ title, commands }, index) => [
      ...wrap(`${index + 1}. ${title}`, 0, 3),
      ...commands.map((command) => `   ${command}`),
    ]),
  );
}

/** What is allowed, and what its owner should have heard. */
function notes(objects: readonly KubernetesObject[]): string[] {
  const plain = objects
    .filter(({ kind, metadata }) => kind === 'Ingress' && metadata.annotations?.[ALB.certificateArn] === undefined)
    .map(
      (object) =>
        `${nameOf(object)} listens on plain HTTP: keys and passwords cross the network in clear text (prop tls)`,
    );
  return [...plain, ...losses(objects)].flatMap((text) => wrap(text, 0, 2));
}

const MAX_WAITS = 5;
/** Pulling the image and finding the nodes come before the startup budget. */
const BEFORE_START_MINUTES = 10;

function then({ files, folder, groups }: SummaryInput, objects: readonly KubernetesObject[]): string[] {
  const waits = objects
    .filter(({ kind }) => kind === 'LeaderWorkerSet')
    .map(({ metadata: { name, namespace = 'default' } }) => {
      const budget = groups
        .find(({ groupName }) => groupName === name)
        ?.plan.startupBudget.toMinutes({ integral: false });
      const minutes = Math.ceil(budget ?? 15) + BEFORE_START_MINUTES;
      return `kubectl -n ${namespace} wait --for=condition=Available lws/${name} --timeout=${minutes}m`;
    });
  return [
    `kubectl apply --server-side -f ${files.length === 1 ? files[0]!.path : folder}`,
    ...waits.slice(0, MAX_WAITS),
    ...(waits.length > MAX_WAITS ? [`and so on for the other ${count(waits.length - MAX_WAITS, 'group')}`] : []),
  ];
}
