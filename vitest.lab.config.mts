import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'cdk8s-vllm': fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  },
  test: {
    // The tests of the runs themselves start runs of other files.
    include: [process.env.LAB_TESTS ?? 'test/lab/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts', 'test/lab/global-setup.ts'],
    // In the process of the run, so that nothing is left of it when it is killed.
    pool: 'threads',
    // Two nodes and one engine over both: nothing to share.
    fileParallelism: false,
    // Guards against hanging, wide enough for a machine that does other work as well; no test measures a time.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
