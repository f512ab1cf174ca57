import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SummaryReporter } from './tests/support/summary-reporter.ts';
import { thorough } from './tests/support/trials.ts';

/** Folders whose files take long: they begin first, so that none is left alone at the end. */
const slow = /\/tests\/(attack|bench|concurrency|e2e|faults|fuzz|plans|soak|start)\//;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: [
      // A soak of its own: with npm run faults.
      ...(thorough ? [] : ['tests/soak/soak.test.ts']),
      // These need programs that no package of ours brings: with npm run outside.
      ...(process.env.COMANDA_OUTSIDE === 'yes' ? [] : ['tests/outside/**']),
    ],
    globalSetup: './tests/support/global-setup.ts',
    setupFiles: './tests/support/worker-setup.ts',
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: SlowFirst },
    pool: 'forks',
    // Files share a process, and so what they import: to load it anew for each took a quarter of the time.
    isolate: false,
    // Many tests wait more than they work: for timeouts, restarts, retries.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
