import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SummaryReporter } from './tests/support/summary-reporter.ts';

/** Folders whose files take long: `npm run test:slow` runs them, and `npm test` the others. */
const slow = [
  ...[
    'attack',
    'bench',
    'cli',
    'concurrency',
    'deeds',
    'doctor',
    'faults',
    'fuzz',
    'generated-clients',
    'integrator',
  ],
  ...['live', 'locations', 'plans', 'samples', 'soak', 'start', 'studio', 'testing', 'upgrade'],
];
/** Folders whose files need no PostgreSQL: where they alone are named, none is started. */
const pure = ['rules', 'webhooks'];
const files = (folders: readonly string[]) => folders.map((folder) => `tests/${folder}/**/*.test.ts`);

/** `quick` or `slow`: half of the tests. Whoever names files runs what they named. */
const part = process.env.COMANDA_TEST_PART;

/** The longest begin first, so that none is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(chosen: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(chosen);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/tests\/((bench|cli|e2e|faults|fuzz|plans|upgrade)\/|integrator\/certification-)/.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const withDatabase = {
  extends: true,
  test: {
    name: 'database',
    include: part === 'slow' ? files(slow) : ['tests/**/*.test.ts'],
    exclude: [
      ...files(pure),
      ...(part === 'quick' ? files(slow) : []),
      // These need programs that no package of ours brings: with npm run outside.
      ...(process.env.COMANDA_OUTSIDE === 'yes' ? [] : ['tests/outside/**']),
      // Bundlers, and other versions of the peers: with npm run test:bundlers.
      ...(process.env.COMANDA_BUNDLERS === undefined ? ['tests/bundlers/**'] : []),
      // The generator of the documents, and a browser: with npm run test:browser.
      ...(process.env.COMANDA_CHROMIUM === undefined ? ['tests/browser/**'] : []),
      ...(process.env.COMANDA_CHROMIUM === '' ? ['tests/browser/!(built).test.ts'] : []),
      // Tools for the documents, which stand there by a lockfile of their own: with npm run test:tools.
      process.env.COMANDA_TOOLS === 'yes' ? 'tests/tools/node_modules/**' : 'tests/tools/**',
    ],
    globalSetup: './tests/support/global-setup.ts',
  },
} satisfies TestProjectInlineConfiguration;

const withoutDatabase = {
  extends: true,
  test: { name: 'rules', include: files(pure) },
} satisfies TestProjectInlineConfiguration;

export default defineConfig({
  test: {
    projects: part === 'slow' ? [withDatabase] : [withDatabase, withoutDatabase],
    setupFiles: './tests/support/worker-setup.ts',
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Files share a process, and so what they import: to load it anew for each took a quarter of the time.
    isolate: false,
    // Many tests wait more than they work: for timeouts, restarts, retries. Tests of pressure are the slow part's: there four at
    // once would be a pressure that none of them means.
    maxWorkers: part === 'slow' ? 2 : 4,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
