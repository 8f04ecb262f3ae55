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
    // Each file has namespaces and nodes of its own; more at once only make each other wait.
    maxWorkers: 2,
  },
});
