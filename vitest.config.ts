import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SummaryReporter } from './tests/support/summary-reporter.ts';

/** Files of pressure, which more than one other file beside them would change: the second half of `npm run test:slow`. */
const pressure = inFolders(['attack', 'bench', 'concurrency', 'faults', 'fuzz']);
/** Files that take long and mostly wait, for processes, timeouts and retries: the first half of `npm run test:slow`. */
const waiting = [
  ...inFolders(['cli', 'deeds', 'doctor', 'e2e', 'generated-clients', 'integrator', 'live', 'locations']),
  ...inFolders(['plans', 'samples', 'soak', 'start', 'studio', 'testing', 'upgrade', 'worker']),
  ...['contract/examples-executed', 'contract/repeats', 'db/edits-are-audited'].map(
    (name) => `tests/${name}.test.ts`,
  ),
];
/** Folders whose files need no PostgreSQL: where they alone are named, none is started. */
const pure = inFolders(['rules', 'webhooks']);

function inFolders(folders: readonly string[]): string[] {
  return folders.map((folder) => `tests/${folder}/**/*.test.ts`);
}

/** `quick`, `waiting` or `pressure`: a part of the tests. A run of named files takes them from all parts. */
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
    include: part === 'waiting' ? waiting : part === 'pressure' ? pressure : ['tests/**/*.test.ts'],
    exclude: [
      ...pure,
      ...(part === 'quick' ? [...waiting, ...pressure] : []),
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
  test: { name: 'rules', include: pure },
} satisfies TestProjectInlineConfiguration;

export default defineConfig({
  test: {
    projects: part === 'waiting' || part === 'pressure' ? [withDatabase] : [withDatabase, withoutDatabase],
    setupFiles: './tests/support/worker-setup.ts',
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Files share a process, and so what they import: to load it anew for each took a quarter of the time.
    isolate: false,
    // Many tests wait more than they work: for timeouts, restarts, retries. Four tests of pressure at once would be a pressure
    // that none of them means.
    maxWorkers: part === 'pressure' ? 2 : 4,
    // Built by us: loaded as applications load it.
    server: { deps: { external: [/\/dist\/testing-[^/]*\.js$/] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
