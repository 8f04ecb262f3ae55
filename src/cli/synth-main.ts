import { synth, UsageError } from './synth';

const [appFile, outdir = 'dist', ...more] = process.argv.slice(2);

async function main(): Promise<void> {
  if (appFile === undefined || more.length > 0) {
    throw new UsageError('usage: synth COMPILED_APP.js [OUTPUT_FOLDER]');
  }
  process.stdout.write(await synth(appFile, outdir));
}

main().catch((error: unknown) => {
  // An error of a construct or a rule speaks for itself; a stack would only hide it.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
