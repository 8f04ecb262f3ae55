import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * The container has 128 MiB. The heap has a bound of its own, but the bytes of requests and answers lie outside of it,
 * and node lets more than 64 MiB of them pile up after their use before it looks for any: with what a few of the largest
 * conversations leave behind, the container is killed for memory that nobody uses. So it is told to look earlier, by what
 * has passed through. That takes milliseconds, and an ordinary conversation is a few kilobytes.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const COLLECT_AFTER_BYTES = 2 * 1024 * 1024;
/** What a piece leaves behind beside its bytes. */
const PIECE_BYTES = 1024;

let passed = 0;

/** To be told of every piece of data before more memory is taken because of it. */
export function passing(bytes: number): void {
  passed += bytes + PIECE_BYTES;
  if (passed < COLLECT_AFTER_BYTES) return;
  passed = 0;
  collect();
}
