import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CannotKeep } from './cannot-keep';
import { Behind, stampedLine, type StampedLine } from './stamp';

/** Of a file that is gone on with, so much of its end is looked at. */
const TAIL_BYTES = 2 ** 20;
/** And no more, whatever stands there. */
const MOST_TAIL_BYTES = 2 ** 28;
const LOCK = '.lock';

/** A folder with a file for each life of each container. */
export class KeepFolder {
  /** @throws CannotKeep where it cannot be written to, or another run writes to it */
  public static open(folder: string, onFailure: (error: unknown) => void): KeepFolder {
    try {
      makeFolder(resolve(folder));
      lock(lockOf(folder));
    } catch (error) {
      throw CannotKeep.of(folder, error);
    }
    return new KeepFolder(folder, onFailure);
  }

  private readonly files = new Map<string, KeptFile>();

  private constructor(
    public readonly folder: string,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** The file of one life of a container, as it was left. */
  public file(pod: string, uid: string, restart: number): KeptFile {
    const name = `${[pod, uid, restart].map((part) => String(part).replace(/[^\w.-]/g, '_')).join('_')}.log`;
    const known = this.files.get(name);
    if (known !== undefined) {
      return known;
    }
    const file = KeptFile.open(join(this.folder, name), this.onFailure);
    this.files.set(name, file);
    return file;
  }

  /** Lets go of a file to which nothing is added any more. */
  public done(file: KeptFile): void {
    for (const [name, each] of this.files) {
      if (each === file) {
        this.files.delete(name);
        file.close();
      }
    }
  }

  /** Writes what has come since; nothing is held back for longer than a turn of the event loop. */
  public flush(): void {
    this.files.forEach((file) => file.flush());
  }

  public close(): void {
    try {
      this.files.forEach((file) => file.close());
    } finally {
      this.files.clear();
      unlock(lockOf(this.folder));
    }
  }
}

/** A file that only grows, by whole lines. */
export class KeptFile {
  public static open(path: string, onFailure: (error: unknown) => void): KeptFile {
    try {
      const fd = openSync(path, 'a+', 0o600);
      return new KeptFile(path, fd, linesIn(fd), onFailure);
    } catch (error) {
      throw CannotKeep.of(path, error);
    }
  }

  private waiting: string[] = [];
  private due: NodeJS.Immediate | undefined;
  /** Writing has failed: half a line may be its end, which whoever goes on with it takes away, and nothing is to come behind. */
  private isBroken = false;

  private constructor(
    public readonly path: string,
    private readonly fd: number,
    /** The last lines that it had when it was opened. */
    public readonly known: readonly StampedLine[],
    private readonly onFailure: (error: unknown) => void,
  ) {}

  public append({ stamp, text }: StampedLine): void {
    this.waiting.push(`${stamp} ${text}\n`);
    this.due ??= setImmediate(() => {
      try {
        this.flush();
      } catch (error) {
        this.onFailure(error);
      }
    });
  }

  public flush(): void {
    clearImmediate(this.due);
    this.due = undefined;
    const bytes = Buffer.from(this.waiting.join(''));
    this.waiting = [];
    if (bytes.length === 0 || this.isBroken) {
      return;
    }
    this.attempt(() => {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(this.fd, bytes, done);
      }
    });
  }

  public close(): void {
    try {
      this.flush();
      this.attempt(() => fsyncSync(this.fd));
    } finally {
      closeSync(this.fd);
    }
  }

  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.isBroken = true;
      throw CannotKeep.of(this.path, error);
    }
  }
}

/** Takes away half a line, which a lost power or a kill may leave, and finds the last whole ones. */
function linesIn(fd: number): readonly StampedLine[] {
  const { size } = fstatSync(fd);
  for (let length = TAIL_BYTES; ; length *= 4) {
    const start = Math.max(0, size - length);
    const bytes = Buffer.alloc(size - start);
    readSync(fd, bytes, 0, bytes.length, start);
    const end = bytes.lastIndexOf(10) + 1;
    // The part begins within a line, unless it is all.
    const first = start === 0 ? 0 : bytes.indexOf(10) + 1;
    const lines = bytes
      .toString('utf8', first, end)
      .split('\n')
      .map(stampedLine)
      .filter(({ stamp }) => stamp !== '');
    const { from, recent } = new Behind(lines);
    const isEnough = lines.length > 0 && lines[0]!.stamp < from;
    if (isEnough || start === 0 || length >= MOST_TAIL_BYTES) {
      if (end < bytes.length && (end > 0 || start === 0)) {
        ftruncateSync(fd, start + end);
      }
      return recent;
    }
  }
}

/** Not with `recursive`: where a parent is there and refuses with ENOENT, as /proc does, Node tries for ever. */
function makeFolder(path: string): void {
  if (!existsSync(dirname(path))) {
    makeFolder(dirname(path));
  }
  try {
    mkdirSync(path);
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw error;
    }
  }
}

function lockOf(folder: string): string {
  return join(resolve(folder), LOCK);
}

/** Locks that this process holds. */
const held = new Set<string>();

/** One writer: two would write every line twice. The lock of a process that is gone is no lock. */
function lock(path: string): void {
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      held.add(path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 3) {
        throw error;
      }
      const holder = Number(readFileSync(path, 'utf8'));
      // In a container every process has the number that the one before it had.
      if (holder === process.pid ? held.has(path) : isAlive(holder)) {
        throw new CannotKeep(
          `the process ${holder} keeps logs there already; name another folder, or end it (if that is another program, delete ${path})`,
        );
      }
      rmSync(path, { force: true });
    }
  }
}

function unlock(path: string): void {
  held.delete(path);
  rmSync(path, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
