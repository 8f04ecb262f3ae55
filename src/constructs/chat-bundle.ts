import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `kubectl apply` keeps a copy of each object in an annotation, which is limited to 256 KiB: a ConfigMap that comes
 * near it cannot be applied from the client side.
 */
export const CONFIG_MAP_LIMIT_BYTES = 240 * 1024;

/** The chat server as one file, and a hash that changes with it. */
export interface ChatBundle {
  readonly source: string;
  readonly hash: string;
}

let cached: ChatBundle | undefined;

/** Reads the chat server that the build made. */
export function chatBundle(): ChatBundle {
  return (cached ??= bundleOf(readFileSync(join(packageRoot(), 'lib', 'chat', 'server.mjs'), 'utf8')));
}

/** Checks that a source fits into a ConfigMap. */
export function bundleOf(source: string): ChatBundle {
  const bytes = Buffer.byteLength(source);
  if (bytes > CONFIG_MAP_LIMIT_BYTES) {
    throw new Error(
      `source of the chat server is ${bytes} bytes; a ConfigMap takes at most ${CONFIG_MAP_LIMIT_BYTES}, since ` +
        "'kubectl apply' keeps a copy of it in an annotation: put it into an image of its own",
    );
  }
  return { source, hash: createHash('sha256').update(source).digest('hex').slice(0, 16) };
}

/** The folder of this package; compiled files lie one level deeper than sources. */
function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    folder = dirname(folder);
  }
  return folder;
}
