import { relative } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { globsOf, leftBy, suiteNamed, suites } from './scripts/suites/table.mjs';
import { readDurations } from './tests/support/durations.ts';
import { SummaryReporter } from './tests/support/summary-reporter.ts';

/** Folders whose files need no PostgreSQL: where they alone are named, none is started. */
const pure = ['tests/rules/**/*.test.ts', 'tests/webhooks/**/*.test.ts'];

const durations = readDurations();

/** The suite that runs (scripts/suites); none where files are named, of whichever suite. */
const name = process.env.COMANDA_TEST_SUITE ?? '';
const suite = name === '' ? undefined : suiteNamed(name);
const isSome = suite !== undefined && suite.name !== 'quick';

/** The files that this run leaves to the suites that have them; where files are named, those that need their suite. */
const others =
  suite === undefined ? suites.filter(({ needs }) => needs !== undefined).flatMap(globsOf) : leftBy(suite);

/** The files in the order in which they have to run (tests/power); none for the usual order. */
const order = process.env.COMANDA_TEST_ORDER?.split(' ');

/** By how long they took (tests/durations.json), so that none is left alone at the end; those that are not measured begin. */
class LongestFirst extends BaseSequencer {
  override async sort(chosen: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const path = relative('.', moduleId);
      return order?.indexOf(path) ?? -(durations[path] ?? Number.POSITIVE_INFINITY);
    };
    return chosen.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || (one.moduleId < other.moduleId ? -1 : 1),
    );
  }
}

const withDatabase = {
  extends: true,
  test: {
    name: 'database',
    include: isSome ? globsOf(suite) : ['tests/**/*.test.ts', 'extras/*/{tests,journeys}/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...pure, ...others],
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
    maxWorkers: suite?.workers ?? 4,
    // Built by us: loaded as applications load it.
    server: { deps: { external: [/\/dist\/testing-[^/]*\.js$/] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
