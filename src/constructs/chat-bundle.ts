import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  return (cached ??= bundleOf(readFileSync(serverFile(), 'utf8')));
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

/** The built server, beside the compiled library in one file, or in many; the sources lie elsewhere. */
function serverFile(): string {
  const places = ['../chat/server.mjs', '../../chat/server.mjs', '../../lib/chat/server.mjs'].map((path) =>
    join(__dirname, path),
  );
  const found = places.find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(
      `the chat server is not at ${places[0]}, where the package has it; build it first, and keep cdk8s-vllm outside of a ` +
        'bundle of your own program',
    );
  }
  return found;
}
