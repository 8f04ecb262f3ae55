import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { readUpTo, reasonOf } from '../read-up-to';
import { WrongInput } from '../terminal';

/** What is larger is no cluster file, and is not read to its end; the reader of the text has a smaller bound. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What stands in a cluster file. `-` is the standard input. */
export function clusterFileText(path: string): string {
  try {
    return readUpTo(path, MOST_BYTES).toString('utf8');
  } catch (error) {
    throw new WrongInput(`'${path}' cannot be read: ${reasonOf(error, 'it is a folder; name the cluster.yaml in it')}`);
  }
}

/** The first file of $KUBECONFIG, as kubectl writes to it, or the usual one. */
export function kubeconfigPath(given: string | undefined): string {
  const first = (process.env.KUBECONFIG ?? '').split(delimiter).find((part) => part !== '');
  return given ?? first ?? join(homedir(), '.kube', 'config');
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new WrongInput(`'${path}' cannot be read: ${reasonOf(error)}`);
  }
}

/**
 * In one step, so that nobody meets half a file; for the user alone. A link stays one. A file that its owner has closed to
 * writing stays as it is, though a rename would get past that.
 */
export function writePrivately(path: string, text: string): void {
  try {
    makeFolder(dirname(resolve(path)));
    const target = targetOf(path);
    const draft = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
      renameSync(draft, target);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    throw error instanceof WrongInput ? error : new WrongInput(`'${path}' cannot be written: ${reasonOf(error)}`);
  }
}

/** One by one: Node's own recursion never ends where a parent is there and takes no folders, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another run may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
}

function targetOf(path: string): string {
  let target: string;
  try {
    target = realpathSync(path);
  } catch {
    // It is new.
    return path;
  }
  if ((statSync(target).mode & 0o222) === 0) {
    throw new WrongInput(
      `'${path}' is read-only, and stays as it is; chmod u+w it, or name another file by --kubeconfig`,
    );
  }
  return target;
}
