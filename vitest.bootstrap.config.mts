import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/bootstrap/peer/**/*.test.ts'],
    globalSetup: ['test/bootstrap/peer/setup.ts'],
    pool: 'threads',
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
