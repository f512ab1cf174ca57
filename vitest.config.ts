import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SummaryReporter } from './tests/support/summary-reporter.ts';
import { thorough } from './tests/support/trials.ts';

/** Folders whose files take long: `npm run test:slow` runs them, and `npm test` the others. */
const slow = ['attack', 'bench', 'concurrency', 'faults', 'generated-clients', 'plans', 'soak', 'start'];
const files = (folders: readonly string[]) => folders.map((folder) => `tests/${folder}/**/*.test.ts`);

/** `quick` or `slow`: half of the tests. Whoever names files runs what they named. */
const part = process.env.COMANDA_TEST_PART;

/** The longest begin first, so that none is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(chosen: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(chosen);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/tests\/(bench|cli|e2e|faults|fuzz|plans)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: part === 'slow' ? files(slow) : ['tests/**/*.test.ts'],
    exclude: [
      ...(part === 'quick' ? files(slow) : []),
      // A soak of its own: with npm run faults.
      ...(thorough ? [] : ['tests/soak/soak.test.ts']),
      // These need programs that no package of ours brings: with npm run outside.
      ...(process.env.COMANDA_OUTSIDE === 'yes' ? [] : ['tests/outside/**']),
    ],
    globalSetup: './tests/support/global-setup.ts',
    setupFiles: './tests/support/worker-setup.ts',
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Files share a process, and so what they import: to load it anew for each took a quarter of the time.
    isolate: false,
    // Many tests wait more than they work: for timeouts, restarts, retries.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
