import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './tests/support/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: './tests/support/global-setup.ts',
    setupFiles: './tests/support/worker-setup.ts',
    reporters: ['default', new SummaryReporter()],
    pool: 'forks',
    // Many tests wait more than they work: for timeouts, restarts, retries.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
