import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Examples import the package by its name, as a user does; the tests run them against the sources.
    alias: { 'cdk8s-vllm': fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: [
      'test/browser/**',
      'test/cluster/**',
      'test/lab/**',
      'test/engine/real/**',
      'test/bootstrap/peer/**',
      'node_modules/**',
      'lib/**',
    ],
    globalSetup: ['test/global-setup.ts'],
    pool: 'threads',
    isolate: false,
    // Some files wait more than they work: for processes that end, probes, timeouts.
    maxWorkers: Math.max(3, availableParallelism()),
    // A guard against hanging, wide enough for a machine that does other work as well; no test measures a time.
    testTimeout: 60_000,
  },
});
