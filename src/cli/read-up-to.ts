import { closeSync, openSync, readSync } from 'node:fs';

/** The beginning of a file, a pipe or a device: of these nobody knows the size before. `-` is the standard input. */
export function readUpTo(path: string, most: number): Buffer {
  const file = path === '-' ? 0 : openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let left = most; left > 0;) {
      const chunk = Buffer.alloc(Math.min(left, 64 * 1024));
      const read = readSync(file, chunk);
      if (read === 0) {
        break;
      }
      chunks.push(chunk.subarray(0, read));
      left -= read;
    }
    return Buffer.concat(chunks);
  } finally {
    if (file !== 0) {
      closeSync(file);
    }
  }
}

/** Why a file could not be read or written, in words; `folder` is what to do about a folder. */
export function reasonOf(error: unknown, folder = 'it is a folder'): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'it is on a file system that nobody writes to',
    ENOSPC: 'the disk is full',
    EISDIR: folder,
    ENOTDIR: 'a part of its path is no folder',
    EAGAIN: 'nothing was there yet; name a file',
    EOF: 'nothing was there; name a file',
  };
  return words[code ?? ''] ?? message;
}
