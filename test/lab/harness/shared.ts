import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogueConfig, tinyModel } from '../../../src/operate/rehearse/model/tiny';
import { lwsConfiguration } from '../../cluster/harness/components';
import { packagesOf } from '../../engine/real/packages';
import { type ImageConfig, writeImages } from './images';
import { randomGemma3 } from './weights';

/** What of this machine the lab runs on. */
export interface Programs {
  /** Folders that test/programs/build.mjs has built. */
  readonly kubernetes: string;
  readonly machines: string;
  /** Python of the environment with vLLM. */
  readonly python: string;
  /** Release of that vLLM. */
  readonly version: string;
}

/** What the images of the bundles are called. */
export interface ImageNames {
  readonly vllm: readonly string[];
  readonly node: readonly string[];
}

const MODEL = 'google/gemma-3-1b-it';
const LONGEST = 4096;
const DEFINITIONS = join(__dirname, '../../../imports/crds');
/** Where containers find what has no place of its own. */
const INSIDE = '/lab';
const SYSTEM = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/busybox'];
const KUBERNETES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
];

/** Writes all that the machines of a lab read into its folder: programs, definitions, images, and what containers are given. */
export function prepareShared(lab: string, programs: Programs, names: ImageNames): void {
  const bin = join(lab, 'bin');
  const shared = join(lab, 'shared');
  mkdirSync(bin);
  mkdirSync(join(shared, 'crds'), { recursive: true });
  linkPrograms(bin, programs);
  copyDefinitions(join(shared, 'crds'), programs.kubernetes);
  const ports = { api: 0, etcd: 0, peer: 0, hook: 9443 };
  const layout = { folder: lab, keys: join(lab, 'keys'), ...ports };
  writeFileSync(join(shared, 'lws.json'), JSON.stringify(lwsConfiguration(layout)));

  const venv = dirname(dirname(programs.python));
  writeModel(join(shared, 'hub'));
  packagesOf(programs.version, shared);
  writeImages(join(shared, 'images.tar'), shared, imagesOf(names, venv));
  const python = execFileSync(programs.python, ['-c', 'import sys; print(sys.base_prefix)'], {
    encoding: 'utf8',
  }).trim();
  writeContainerSpec(join(shared, 'spec.json'), bin, {
    '/usr': '/usr',
    [venv]: venv,
    [python]: python,
    [`${INSIDE}/node`]: dirname(process.execPath),
    [`${INSIDE}/hub`]: join(shared, 'hub'),
    [`${INSIDE}/packages`]: join(shared, 'packages'),
  });
}

function linkPrograms(bin: string, { kubernetes, machines }: Programs): void {
  for (const folder of [kubernetes, machines]) {
    // Both have a list of the sizes of their files.
    for (const name of readdirSync(folder).filter((file) => !file.endsWith('.json'))) {
      symlinkSync(join(folder, name), join(bin, name));
    }
  }
  for (const name of KUBERNETES) {
    symlinkSync(join(kubernetes, 'control-plane'), join(bin, name));
  }
}

/** LWS by the files of its module, and the kinds of others by the interface data of imports/crds. */
function copyDefinitions(target: string, kubernetes: string): void {
  const own = join(kubernetes, 'lws-crds');
  for (const file of readdirSync(own)) {
    copyFileSync(join(own, file), join(target, file));
  }
  for (const file of readdirSync(DEFINITIONS).filter((name) => name !== 'leaderworkersets.yaml')) {
    copyFileSync(join(DEFINITIONS, file), join(target, file));
  }
}

function imagesOf({ vllm, node }: ImageNames, venv: string): Record<string, ImageConfig> {
  const path = (first: string) => `PATH=${[first, ...SYSTEM].join(':')}`;
  const engine: ImageConfig = {
    Entrypoint: ['vllm', 'serve'],
    Env: [
      path(`${venv}/bin`),
      `PYTHONPATH=${INSIDE}/packages`,
      // Not the usual folder: there the bundle has a volume for the weights.
      `HF_HUB_CACHE=${INSIDE}/hub`,
      'HF_HUB_OFFLINE=1',
      'VLLM_NO_USAGE_STATS=1',
    ],
  };
  return {
    'docker.io/lab/base:1': { Entrypoint: ['/busybox/sleep', '2147483647'], Env: [path('/busybox')] },
    ...Object.fromEntries(vllm.map((name) => [name, engine])),
    ...Object.fromEntries(node.map((name) => [name, { Env: [path(`${INSIDE}/node`)] }])),
  };
}

/** A cache of Hugging Face with a tiny model under the real one's name. */
function writeModel(hub: string): void {
  const revision = '0'.repeat(40);
  const folder = join(hub, `models--${MODEL.replace('/', '--')}`);
  const snapshot = join(folder, 'snapshots', revision);
  mkdirSync(snapshot, { recursive: true });
  mkdirSync(join(folder, 'refs'));
  writeFileSync(join(folder, 'refs/main'), revision);
  const { shape, files } = tinyModel(MODEL, catalogueConfig(MODEL)!, LONGEST);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(snapshot, name), text);
  }
  const config = JSON.parse(files['config.json']!) as Record<string, number>;
  const sizes = {
    vocabulary: config['vocab_size']!,
    hidden: config['hidden_size']!,
    intermediate: config['intermediate_size']!,
  };
  writeFileSync(join(snapshot, 'model.safetensors'), randomGemma3(shape, sizes));
}

/** What containerd begins every container with: its own default, and folders of this machine, read-only. */
function writeContainerSpec(target: string, bin: string, folders: Readonly<Record<string, string>>): void {
  const spec = JSON.parse(execFileSync(join(bin, 'ctr'), ['oci', 'spec'], { encoding: 'utf8' })) as {
    mounts: unknown[];
  };
  for (const [destination, source] of Object.entries(folders)) {
    spec.mounts.push({ destination, source, type: 'bind', options: ['rbind', 'ro'] });
  }
  writeFileSync(target, JSON.stringify(spec));
}
