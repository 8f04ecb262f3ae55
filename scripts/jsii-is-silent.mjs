// Compiles with jsii, as the build does, and fails on any diagnostic. The banner about an old Node.js is not one.
import { spawnSync } from 'node:child_process';

const { status, stdout, stderr } = spawnSync('npx', ['jsii'], { encoding: 'utf8' });
const said = `${stdout}\n${stderr}`
  .split('\n')
  .filter((line) => /\b(warning|error)\b.*\b(JSII|TS)\d+/.test(line) || /^(error|warning)\b/i.test(line));

if (status !== 0 || said.length > 0) {
  console.error(said.join('\n') || `jsii ended with ${status}:\n${stdout}\n${stderr}`);
  process.exit(1);
}

// jsii has put its many files in the place of the one that the build makes of them.
await import('./bundle-library.mjs');
