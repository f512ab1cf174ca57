import { relative } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { globsOf, suiteNamed, suites } from './scripts/suites/table.mjs';
import { SummaryReporter } from './tests/support/summary-reporter.ts';

/** Folders whose files need no PostgreSQL: where they alone are named, none is started. */
const pure = ['tests/rules/**/*.test.ts', 'tests/webhooks/**/*.test.ts'];

/** The suite that runs (scripts/suites); none where files are named, of whichever suite. */
const name = process.env.COMANDA_TEST_SUITE ?? '';
const suite = name === '' ? undefined : suiteNamed(name);
const isSome = suite !== undefined && suite.name !== 'quick';

/** The files that this run leaves to the suites that have them. */
const others = isSome
  ? []
  : suites.filter(({ needs }) => suite !== undefined || needs !== undefined).flatMap(globsOf);

const long = new RegExp(
  `/tests/(${[
    ...['bench/', 'cli/', 'e2e/', 'faults/', 'fuzz/', 'plans/', 'upgrade/', 'integrator/certification-'],
    ...['start/release', 'start/site-beside', 'generated-clients/documents-spectral'],
    ...['doctor/doctor-invariants', 'db/edits-are-audited'],
  ].join('|')})`,
);

/** The files in the order in which they have to run (tests/power); none for the usual order. */
const order = process.env.COMANDA_TEST_ORDER?.split(' ');

/** The longest begin first, so that none is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(chosen: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => order?.indexOf(relative('.', moduleId)) ?? 0;
    if (order) return chosen.toSorted((one, other) => placeOf(one) - placeOf(other));
    const sorted = await super.sort(chosen);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const withDatabase = {
  extends: true,
  test: {
    name: 'database',
    include: isSome ? globsOf(suite) : ['tests/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      ...pure,
      ...others,
      // Without a browser only the tests of the documents' site run.
      ...(process.env.COMANDA_CHROMIUM === '' ? ['tests/browser/**'] : []),
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
    projects: isSome ? [withDatabase] : [withDatabase, withoutDatabase],
    setupFiles: './tests/support/worker-setup.ts',
    reporters: ['default', new SummaryReporter()],
    sequence: {
      sequencer: LongestFirst,
      // No test may depend on the ones before it. With one seed a failure repeats, and appears at the change that caused it.
      shuffle: { files: false, tests: true },
      seed: 7,
    },
    pool: 'forks',
    // Files share a process, and so what they import: to load it again for each took a quarter of the time.
    isolate: false,
    // Many tests wait more than they work: for timeouts, restarts, retries.
    maxWorkers: suite?.workers ?? 4,
    // Built by us: loaded as applications load it.
    server: { deps: { external: [/\/dist\/testing-[^/]*\.js$/] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
