import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compareVersions } from '../../common/versions';
import { GIBI } from '../../common/numbers';
import { NEWEST_RELEASE } from '../../engine/releases';
import { type KubernetesObject, volumeAt } from '../../manifest';
import { CannotRehearse } from './cannot';
import { type Change, type EngineChanges, engineChanges, type Machine, podChanges, type Ports } from './changes';
import { concrete } from './environment';
import { groupOf, type Member, type RehearsedGroup } from './group';
import { freeMemory } from './machine/memory';
import { findIsolation, type Isolation, SHARED } from './machine/isolation';
import type { Launch } from './machine/protocol';
import { catalogueConfig, type TinyModel, tinyModel } from './model/tiny';
import { type Numbers, numbersOf } from './numbers';
import { clusterValues, hostsOf, type Place, placesOf, serviceVariables } from './places';
import { shims } from './shim';
import { findVllm, type VllmHere } from './vllm';

/** What is to be rehearsed. */
export interface Wanted {
  readonly objects: readonly KubernetesObject[];
  /** Name of the workload, where there are several. */
  readonly group?: string;
  /** The config.json of a model that the catalogue does not know. */
  readonly config?: Record<string, unknown>;
  readonly python?: string;
  /** The path that programs are looked for on. */
  readonly path: string;
  /** Loopback addresses, though namespaces could be made. */
  readonly isShared?: boolean;
}

/** A group ready to be started; its folder is there. */
export interface Prepared {
  readonly rehearsed: RehearsedGroup;
  readonly vllm: VllmHere;
  readonly model: TinyModel;
  readonly isolation: Isolation;
  readonly folder: string;
  readonly places: readonly Place[];
  readonly launches: readonly Launch[];
  readonly changes: readonly Change[];
  readonly engine: EngineChanges;
  readonly numbers: Numbers | undefined;
  /** The release whose rules hold: that of this machine, as far as it is known. */
  readonly release: string;
  readonly port: number;
  readonly key: string | undefined;
  readonly served: string;
}

/** A tiny rank with its processes, without its cache. Measured: 1.1 to 1.6 GiB. */
const RANK_MEMORY = 1.6 * GIBI;

/** From objects to what is started, rank for rank. */
export async function prepare(wanted: Wanted): Promise<Prepared> {
  if (process.platform !== 'linux') {
    throw new CannotRehearse(
      `vLLM's CPU build runs on Linux, and this is ${process.platform}; take a Linux machine or container`,
    );
  }
  const rehearsed = groupOf(wanted.objects, wanted.group);
  const { leader, members } = rehearsed;
  const vllm = findVllm(wanted.python, wanted.path);
  const release = compareVersions(vllm.release, NEWEST_RELEASE) > 0 ? NEWEST_RELEASE : vllm.release;
  const model = modelFor(leader, wanted.config);
  const numbers = numbersOf(rehearsed, model, release);
  const isolation = wanted.isShared === true ? SHARED : findIsolation();
  const isIsolated = isolation.kind === 'isolated';
  const machine: Machine = {
    cores: availableParallelism(),
    memoryFree: freeMemory(),
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    isIsolated,
  };
  const bundlePort = leader.settings.port.value ?? 8000;
  const masterPort = leader.settings.masterPort.value;
  const ports: Ports = {
    server: isIsolated ? bundlePort : await freePort(bundlePort, '127.0.0.1'),
    ...(masterPort !== undefined && { master: isIsolated ? masterPort : await freePort(masterPort) }),
  };
  const port = ports.server;
  const folder = join(roomyFolder(tmpdir()), `rehearse-${randomBytes(4).toString('hex')}`);
  const modelPath = join(folder, 'models', model.real.name);
  const engine = engineChanges(rehearsed, { machine, vllm, model, modelPath, needed: numbers?.needed ?? 0 }, ports);
  const perRank = engine.cacheBytes + RANK_MEMORY;
  const local = ranksPerPod(leader);
  if (members.length * local * perRank > machine.memoryFree) {
    throw new CannotRehearse(
      `${members.length * local} ranks take about ${((members.length * local * perRank) / GIBI).toFixed(1)} GiB, and ` +
        `${(machine.memoryFree / GIBI).toFixed(1)} GiB are free; take a larger machine or a smaller group`,
    );
  }
  const places = placesOf(rehearsed, isIsolated);
  const read = members.map((member, i) => {
    const values = clusterValues(rehearsed, places[i]!, isIsolated);
    return concrete(member, serviceVariables(rehearsed, member), values);
  });
  const launches = members.map((member, i): Launch => {
    const place = places[i]!;
    return {
      command: read[i]!.words,
      env: {
        HOME: process.env['HOME'] ?? '/root',
        ...Object.fromEntries(read[i]!.variables),
        ...Object.fromEntries(engine.variables),
        TMPDIR: join(folder, 'tmp'),
        ...(vllm.distribution !== 'vllm' && {
          PYTHONPATH: [join(folder, 'packages'), read[i]!.variables.get('PYTHONPATH') ?? ''].filter(Boolean).join(':'),
        }),
        PATH: [join(folder, 'bin'), dirname(vllm.vllm), wanted.path, '/usr/sbin', '/sbin'].join(':'),
      },
      folder: join(folder, 'models'),
      log: join(folder, `rank${place.rank}.log`),
      address: place.address,
      hostname: place.podName,
      hosts: join(folder, `hosts.${place.rank}`),
      sharedMemory: sharedMemoryOf(member),
    };
  });
  inFolder(folder, () => {
    writeFiles(folder, model, modelPath, engine, vllm);
    places.forEach((place, i) => writeFileSync(launches[i]!.hosts, hostsOf(rehearsed, places, place)));
  });
  const key = leader.settings.apiKey.value === true ? keyOf(leader, read[0]!.words, launches[0]!.env) : undefined;
  return {
    rehearsed,
    vllm,
    model,
    isolation,
    folder,
    places,
    launches,
    changes: [
      ...engine.changes,
      ...podChanges(
        members,
        [...new Set(read.flatMap(({ madeUp }) => madeUp))],
        [...new Set(read.flatMap(({ unknown }) => unknown))],
      ),
    ],
    engine,
    numbers,
    release,
    port,
    key,
    served: leader.settings.servedModelNames.value?.[0] ?? model.real.name,
  };
}

function modelFor({ settings }: Member, given: Record<string, unknown> | undefined): TinyModel {
  const name = settings.model.value;
  if (name === undefined) {
    throw new CannotRehearse(`the model is not to be read: ${settings.model.why ?? 'nothing names one'}`);
  }
  const config = given ?? catalogueConfig(name);
  if (config === undefined) {
    throw new CannotRehearse(
      `${name} is not in the catalogue; name its config.json with --config, so that a tiny model of its kind can be made`,
    );
  }
  try {
    return tinyModel(name, config, settings.maxModelLen.value);
  } catch (error) {
    throw error instanceof CannotRehearse ? error : new CannotRehearse((error as Error).message);
  }
}

function ranksPerPod({ settings: { worldSize, nnodes } }: Member): number {
  return Math.max(1, Math.round((worldSize ?? 1) / (nnodes.value ?? 1)));
}

function keyOf(
  { engine }: Member,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): string | undefined {
  const flag = engine.command.flag('--api-key');
  const at = words.findIndex((word) => word === '--api-key' || word.startsWith('--api-key='));
  const written =
    at < 0 ? undefined : words[at]!.includes('=') ? words[at]!.slice(words[at]!.indexOf('=') + 1) : words[at + 1];
  return flag?.value ?? written ?? env['VLLM_API_KEY'];
}

function sharedMemoryOf({ engine, pod }: Member): number {
  const volume = volumeAt(engine, pod, '/dev/shm');
  return volume?.sizeLimit?.value ?? (volume === undefined ? 64 * 1024 ** 2 : 4 * GIBI);
}

function writeFiles(folder: string, model: TinyModel, modelPath: string, engine: EngineChanges, vllm: VllmHere): void {
  // Nobody else's business: it holds made-up keys, and a socket that leads to the server.
  mkdirSync(folder, { mode: 0o700 });
  const packages = join(folder, 'packages', `vllm-${vllm.version}.dist-info`);
  for (const path of [modelPath, join(folder, 'bin'), join(folder, 'tmp'), packages]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(packages, 'METADATA'), `Metadata-Version: 2.1\nName: vllm\nVersion: ${vllm.version}\n`);
  for (const [name, text] of Object.entries(model.files)) {
    writeFileSync(join(modelPath, name), text);
  }
  for (const [name, text] of Object.entries(shims(vllm, engine))) {
    writeFileSync(join(folder, 'bin', name), text);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
}

/** Longest path that sockets below it still fit behind: a path of a socket has 107 characters, and vLLM takes 40 of them. */
const LONGEST_FOLDER = 40;

/** The folder for temporary files, or the usual one where its path is too long. */
function roomyFolder(own: string): string {
  return own.length > LONGEST_FOLDER && existsSync('/tmp') ? '/tmp' : own;
}

/** What logs, a model of a few files and sockets take, with room. */
const NEEDED_SPACE = 64 * 1024 ** 2;

/** Writes into a folder of a rehearsal, or leaves nothing of it. */
function inFolder(folder: string, write: () => void): void {
  const parent = dirname(folder);
  const refuse = (why: string): never => {
    throw new CannotRehearse(`a rehearsal takes a folder in ${parent}, and ${why}; TMPDIR names another place for it`);
  };
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < NEEDED_SPACE) {
      refuse(`${(bavail * bsize) >> 20} MiB are free there, of ${NEEDED_SPACE >> 20} that it needs`);
    }
    write();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error instanceof CannotRehearse ? error : refuse(`that failed: ${(error as Error).message}`);
  }
}

/** That port if nobody has it, else any. Without an address: on all of them. */
async function freePort(wanted: number, address?: string): Promise<number> {
  const open = (port: number): Promise<number | undefined> =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen({ port, ...(address !== undefined && { host: address }) }, () => {
        const open = server.address();
        server.close(() => resolve(typeof open === 'object' && open !== null ? open.port : undefined));
      });
    });
  return (await open(wanted)) ?? (await open(0))!;
}
