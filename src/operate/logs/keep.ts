import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { CannotKeep } from './cannot-keep';
import { type Place, stampedLine, type StampedLine } from './stamp';

/** Of a file that is gone on with, so much of its end is looked at. */
const TAIL_BYTES = 2 ** 20;
const LOCK = '.lock';

/** A folder with a file for each life of each container. */
export class KeepFolder {
  /** @throws CannotKeep where it cannot be written to, or another run writes to it */
  public static open(folder: string, onFailure: (error: unknown) => void): KeepFolder {
    try {
      mkdirSync(folder, { recursive: true });
      lock(join(folder, LOCK));
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
      rmSync(join(this.folder, LOCK), { force: true });
    }
  }
}

/** A file that only grows, by whole lines. */
export class KeptFile {
  public static open(path: string, onFailure: (error: unknown) => void): KeptFile {
    try {
      const fd = openSync(path, 'a+', 0o600);
      return new KeptFile(path, fd, resume(fd), onFailure);
    } catch (error) {
      throw CannotKeep.of(path, error);
    }
  }

  private waiting: string[] = [];
  private due: NodeJS.Immediate | undefined;

  private constructor(
    public readonly path: string,
    private readonly fd: number,
    /** The last line that it had when it was opened. */
    public readonly place: Place | undefined,
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
    if (this.waiting.length === 0) {
      return;
    }
    const bytes = Buffer.from(this.waiting.join(''));
    this.waiting = [];
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(this.fd, bytes, done);
      }
    } catch (error) {
      throw CannotKeep.of(this.path, error);
    }
  }

  public close(): void {
    this.flush();
    fsyncSync(this.fd);
    closeSync(this.fd);
  }
}

/** Takes away half a line, which a lost power or a kill may leave, and finds the last whole one. */
function resume(fd: number): Place | undefined {
  const { size } = fstatSync(fd);
  const start = Math.max(0, size - TAIL_BYTES);
  const bytes = Buffer.alloc(size - start);
  readSync(fd, bytes, 0, bytes.length, start);
  const end = bytes.lastIndexOf(10) + 1;
  if (end < bytes.length) {
    ftruncateSync(fd, start + end);
  }
  const stamps = bytes
    .toString('utf8', 0, end)
    .split('\n')
    .map((line) => stampedLine(line).stamp)
    .filter((stamp) => stamp !== '');
  const last = stamps.at(-1);
  return last === undefined ? undefined : { stamp: last, count: stamps.filter((stamp) => stamp === last).length };
}

/** One writer: two would write every line twice. The lock of a process that is gone is no lock. */
function lock(path: string): void {
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 3) {
        throw error;
      }
      const holder = Number(readFileSync(path, 'utf8'));
      if (isAlive(holder)) {
        throw new CannotKeep(`the process ${holder} keeps logs there already; name another folder, or end it`);
      }
      rmSync(path, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
