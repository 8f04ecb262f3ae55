import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BUILD = join(__dirname, '../../programs/build.mjs');

/** The folder with the programs of a cluster, which are built when they are not there yet. */
export function builtPrograms(): string {
  // A build takes minutes the first time: it ends with who wants it, however that ends.
  const bound = spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status === 0;
  const [program, ...args] = [...(bound ? ['setpriv', '--pdeathsig', 'TERM', '--'] : []), process.execPath, BUILD];
  const { status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    throw new Error('the programs of the cluster could not be built; the reason stands above');
  }
  return stdout.trim();
}

/** Whether there is anything to build them with. */
export function hasGo(): boolean {
  return spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
}
