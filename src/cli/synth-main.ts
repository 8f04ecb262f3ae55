import { synth } from './synth';

const [appFile, outdir = 'dist', ...more] = process.argv.slice(2);

async function main(): Promise<void> {
  if (appFile === undefined || more.length > 0) {
    throw new Error('usage: synth COMPILED_APP.js [OUTPUT_FOLDER]');
  }
  process.stdout.write(await synth(appFile, outdir));
}

main().catch((error: unknown) => {
  // A plain Error of a construct or a rule speaks for itself. Anything else is a fault in a program, which needs its place.
  const isPlain = error instanceof Error && error.constructor.name === 'Error';
  const text = error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
