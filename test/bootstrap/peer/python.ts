import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** moto brings botocore, whose service models the strict peer is made of. */
const PACKAGES = ['moto[server]==5.2.5', 'botocore==1.44.8'];

/** Outside of the clone: a clean clone finds what another one installed. */
const FOLDER = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'cdk8s-vllm',
  'python-moto-5.2.5-botocore-1.44.8',
);

export interface Python {
  readonly python: string;
  /** The program that serves moto; `undefined` when it is not there. */
  readonly moto: string | undefined;
}

function works(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import botocore'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A Python with botocore: the one of the cache folder, made when it is not there; else one that the machine has. */
export function findPython(): Python | undefined {
  const own = { python: join(FOLDER, 'bin/python'), moto: join(FOLDER, 'bin/moto_server') };
  try {
    if (!existsSync(own.moto) || !works(own.python)) {
      mkdirSync(FOLDER, { recursive: true });
      console.warn(`installing ${PACKAGES.join(' and ')} into ${FOLDER}`);
      execFileSync('python3', ['-m', 'venv', '--clear', FOLDER], { stdio: ['ignore', 'ignore', 'pipe'] });
      execFileSync(own.python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    }
    return own;
  } catch (error) {
    console.warn(`the packages could not be installed: ${(error as Error).message.split('\n')[0]}`);
    return works('python3') ? { python: 'python3', moto: undefined } : undefined;
  }
}
