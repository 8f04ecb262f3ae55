// Runs one scenario of the built module in a process of its own, for being killed: victim.cjs BOOTSTRAP.cjs SCENARIO URL FILE
const { readFileSync } = require('node:fs');
const [, , module_, scenario, endpoint, path] = process.argv;
const { applyCluster, destroyCluster, readClusterFile } = require(module_);

let now = Date.parse('2026-11-29T12:00:00Z');
const options = {
  // Time passes by waiting alone.
  clock: {
    now: () => now,
    sleep: (milliseconds) => ((now += milliseconds), new Promise((resolve) => process.nextTick(resolve))),
  },
  surroundings: { kubectl: async () => 'v1.36.2', connect: async () => ({ reached: false }) },
  connection: { endpoint, credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' } },
};
const file = readClusterFile(readFileSync(path, 'utf8'));
const run = {
  apply: () => applyCluster(file, options),
  replace: () => applyCluster(file, { ...options, replace: true }),
  destroy: () => destroyCluster(file, { ...options, confirmed: true }),
}[scenario];
run().then(({ succeeded, failed }) => {
  process.exitCode = (succeeded ?? failed.length === 0) ? 0 : 1;
});
