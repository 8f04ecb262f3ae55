import { defineConfig } from 'vitest/config';

// The real vLLM: started by scripts/test-engine.mjs, which installs it first.
export default defineConfig({
  test: {
    include: [
      process.env.ENGINE_TESTS === 'all' ? 'test/engine/real/**/*.test.ts' : 'test/engine/real/reference.test.ts',
    ],
    // Ranks fill a machine; two groups at once would only wait for each other.
    fileParallelism: false,
    // Guards against hanging, wide enough for a machine that does other work as well; no test measures a time.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
