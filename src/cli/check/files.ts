import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Kustomization, kustomizationOf } from './kustomize';

/** A bundle of thousands of objects has a tenth of it. */
const MOST_BYTES = 100 * 2 ** 20;
/** Folders that hold the files of others. */
const SKIPPED = new Set(['.git', 'node_modules']);
const EXTENSIONS = /\.(?:ya?ml|json)$/i;

/** The standard input, where a file is named. */
export const STDIN = 'stdin';

/** A file to check, by the name that messages use. */
export interface FileToRead {
  readonly name: string;
  readonly path: string;
  /** Found in a folder, and not named: it may be something that is no business of `check`. */
  readonly isFound: boolean;
  /** The folder of the Helm chart whose template it is. */
  readonly chart?: string;
}

/** What cannot be read, and why. */
export interface Failed {
  readonly name: string;
  readonly why: string;
}

/** What there is to read. */
export interface Files {
  readonly files: readonly FileToRead[];
  readonly failed: Failed[];
  /** The kustomizations of folders; what they do not apply as it is, is none of the files. */
  readonly kustomizations: readonly Kustomization[];
  /** How many files that are. */
  readonly notApplied: number;
}

/** The files that arguments name: each once, those of a folder in the order of their names. */
export function filesOf(args: readonly string[]): Files {
  const found = new Map<string, FileToRead>();
  const failed: Failed[] = [];
  const kustomizations: Kustomization[] = [];
  const seen = new Set<string>();

  const add = (path: string, isFound: boolean, chart?: string): void => {
    const real = realpathSync(path);
    if (!seen.has(real)) {
      seen.add(real);
      found.set(real, { name: path, path, isFound, ...(chart !== undefined && { chart }) });
    } else if (!isFound && found.has(real)) {
      // What is named is read, also when a kustomization has it for a patch.
      found.set(real, { ...found.get(real)!, isFound });
    }
  };
  const visit = (
    folder: string,
    chart: { readonly folder: string; readonly isTemplates: boolean } | undefined,
  ): void => {
    const real = realpathSync(folder);
    // A link may lead back to a folder above it.
    if (seen.has(real)) {
      return;
    }
    seen.add(real);
    const names = readdirSync(folder).sort();
    const kustomization = kustomizationOf(folder, names);
    if (kustomization !== undefined) {
      kustomizations.push(kustomization);
    }
    const isChart = names.includes('Chart.yaml');
    for (const name of names) {
      const path = join(folder, name);
      attempt(path, () => {
        const stat = statSync(path, { throwIfNoEntry: false });
        if (stat?.isDirectory() === true && !SKIPPED.has(name)) {
          // Charts within a chart are rendered with it.
          const isTemplates = (isChart && name === 'templates') || chart?.isTemplates === true;
          visit(path, isChart || chart ? { folder: chart?.folder ?? folder, isTemplates } : undefined);
        } else if (stat?.isFile() === true && EXTENSIONS.test(name)) {
          add(path, true, chart?.isTemplates === true ? chart.folder : undefined);
        }
      });
    }
  };
  const attempt = (name: string, action: () => void): void => {
    try {
      action();
    } catch (error) {
      failed.push({ name, why: reasonOf(error) });
    }
  };

  for (const argument of args) {
    attempt(argument, () => {
      if (argument === '-') {
        if (!seen.has(STDIN)) {
          seen.add(STDIN);
          found.set(STDIN, { name: STDIN, path: '-', isFound: false });
        }
      } else if (statSync(argument).isDirectory()) {
        visit(argument, undefined);
      } else {
        add(argument, false);
      }
    });
  }
  const notApplied = new Set(kustomizations.flatMap((each) => each.notApplied));
  const files = [...found].filter(([real, { isFound }]) => !isFound || !notApplied.has(real)).map(([, file]) => file);
  return { files, failed, kustomizations, notApplied: found.size - files.length };
}

/** A text with what is no UTF-8 in it: the lines, and at which byte of the file. */
export interface FileText {
  readonly text: string;
  readonly foreignBytes: readonly { readonly line: number; readonly offset: number; readonly byte: number }[];
}

/** The text of a file. */
export function readText({ path }: FileToRead): FileText | { readonly why: string } {
  let bytes: Buffer | undefined;
  try {
    bytes = readUpTo(path, MOST_BYTES);
  } catch (error) {
    return { why: reasonOf(error) };
  }
  if (bytes === undefined) {
    return { why: `it has more than ${MOST_BYTES / 2 ** 20} MiB; check its parts` };
  }
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) {
    return { why: 'it is UTF-16; save it as UTF-8' };
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    return { why: `it is no text: byte ${nul} is 0` };
  }
  let text = bytes.toString('utf8');
  if (!text.includes('\n') && text.includes('\r')) {
    text = text.replaceAll('\r', '\n');
  }
  // A mark may stand at the beginning of each file that was joined into one; go-yaml passes over it.
  const withoutMarks = text.includes('\ufeff') ? text.replace(/(?<![^\n])\ufeff/g, '') : text;
  return { text: withoutMarks, foreignBytes: isUtf8(bytes) ? [] : foreignBytesOf(bytes) };
}

/** Of a pipe or a device nobody knows the size before; `undefined` when there is more than that. */
function readUpTo(path: string, most: number): Buffer | undefined {
  const file = path === '-' ? 0 : openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > most) {
      return undefined;
    }
    const chunks: Buffer[] = [];
    // A little more than its size, so that the end is seen without growing.
    let chunk = Buffer.allocUnsafe(Math.max(size + 1, 64 * 1024));
    let filled = 0;
    for (let total = 0; ;) {
      const read = readOrWait(file, chunk, filled);
      if (read === 0) {
        chunks.push(chunk.subarray(0, filled));
        return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      }
      filled += read;
      total += read;
      if (total > most) {
        return undefined;
      }
      if (filled === chunk.length) {
        chunks.push(chunk);
        chunk = Buffer.allocUnsafe(1024 * 1024);
        filled = 0;
      }
    }
  } finally {
    if (file !== 0) {
      closeSync(file);
    }
  }
}

/** A pipe that another program made non-blocking says that nothing is there yet. */
function readOrWait(file: number, chunk: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(file, chunk, from, chunk.length - from, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') {
        return 0;
      }
      if (code !== 'EAGAIN') {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** The first byte of each line that is no UTF-8; of a file that is full of them the first thousand. */
function foreignBytesOf(bytes: Buffer): FileText['foreignBytes'] {
  const found: { line: number; offset: number; byte: number }[] = [];
  let line = 1;
  for (let start = 0; start < bytes.length && found.length < 1000; line++) {
    const lineEnd = bytes.indexOf(10, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd;
    const part = bytes.subarray(start, end);
    if (!isUtf8(part)) {
      const offset = start + foreignByteOf(part);
      found.push({ line, offset, byte: bytes[offset]! });
    }
    start = end + 1;
  }
  return found;
}

function foreignByteOf(line: Buffer): number {
  // The longest beginning that is UTF-8, found by halves; a character that is cut off takes up to three bytes.
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isBeginning(line.subarray(0, middle))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  let at = low;
  while (at > 0 && !isUtf8(line.subarray(0, at))) {
    at--;
  }
  return Math.min(at, line.length - 1);
}

/** Whether a text is UTF-8, or would be if it went on. */
function isBeginning(text: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(text, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOTDIR: 'a part of its path is no folder',
    ELOOP: 'its links lead in a circle',
  };
  return words[code ?? ''] ?? message;
}
