import { setFlagsFromString } from 'node:v8';
import { main } from './main';
import { endProgram, OTHER_FAILURE, tellFault } from './signals';

/**
 * The program is over within seconds, and V8 begins to optimize functions before it has seen enough of them to do it for good:
 * most of it is done again. Six times its usual patience takes a third off the CPU of a large `check`. From V8 12 (Node 22) on,
 * Maglev has that patience, and the flag is gone.
 */
if (Number.parseInt(process.versions.v8, 10) < 12) {
  setFlagsFromString('--interrupt-budget=400000');
}

function failed(error: NodeJS.ErrnoException): void {
  // A reader that has seen enough (`| head`) closes the pipe: that is no failure. A terminal that is closed (EIO) sends SIGHUP as well.
  const isClosed = error.code === 'EPIPE' || error.code === 'EIO';
  if (!isClosed) {
    try {
      process.stderr.write(`cdk8s-vllm: the answer could not be written: ${error.message}\n`);
    } catch {
      // There is nowhere left to say it.
    }
  }
  // What was broken in a cluster is put right all the same.
  endProgram(isClosed ? Number(process.exitCode ?? 0) : OTHER_FAILURE);
}
process.stdout.on('error', failed);
process.stderr.on('error', failed);

main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  isWatched: process.stderr.isTTY,
  colour: process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
}).then(
  (code) => {
    process.exitCode ??= code;
  },
  (error: unknown) => {
    process.exitCode = OTHER_FAILURE;
    tellFault(error);
  },
);
