import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'cdk8s-vllm': fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  },
  test: {
    // The tests of the runs themselves start runs of other files.
    include: [process.env.CLUSTER_TESTS ?? 'test/cluster/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts', 'test/cluster/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A fault of ours fails twice, with the same seed; on a machine that does much else a controller may be late once.
    retry: process.env.CI === undefined ? 0 : 1,
    // Each file has namespaces and nodes of its own; more at once only make each other wait.
    maxWorkers: 2,
  },
});
