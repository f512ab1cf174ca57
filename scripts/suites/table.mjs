// The suites of tests: one row each. npm test runs them by name, .ci/run and --nightly by `runs`, and vitest.config.ts takes their
// files from here.

const inChromium = {
  needs: 'Chromium (Debian: `chromium`, or `COMANDA_CHROMIUM` names one)',
  programs: /** @type {const} */ ([['chromium', 'chromium']]),
};

/** Every suite, in the order in which .ci/run and --nightly run them. @type {readonly import('./table.mjs').Suite[]} */
export const suites = [
  {
    name: 'quick',
    holds:
      'format, lint, types; rules, contract, API, database, documents, client: every test that is in no other suite. `npm test` alone runs it',
    runs: 'change',
  },
  {
    name: 'slow',
    holds: 'the worker, the command line, starts, doctor',
    runs: 'change',
    files: [
      'cli',
      'deeds',
      'doctor',
      'e2e',
      'live',
      'locations',
      'start',
      'testing',
      'worker',
      'contract/examples-executed.test.ts',
      'contract/repeats.test.ts',
      'db/edits-are-audited.test.ts',
    ],
  },
  {
    name: 'browser',
    holds: 'the app in Chromium; live lists with React 18 and 19',
    runs: 'change',
    files: ['browser'],
    ...inChromium,
    workers: 2,
  },
  {
    name: 'pressure',
    holds:
      'the service compared with its model, at once and with kills; faults, races, attacks, and property tests in their short form',
    runs: 'change',
    files: ['attack', 'concurrency', 'faults', 'fuzz', 'model'],
    // They mostly wait, but four at once would be a pressure that none of them means.
    workers: 3,
  },
  {
    name: 'studio',
    holds: "Studio's door, statements and grids",
    runs: 'touched',
    files: ['extras/studio/tests'],
    reads: ['prisma'],
  },
  {
    name: 'studio-page',
    holds: 'Studio in Chromium, and the recipes of its guide with the desk and a shell beside it',
    runs: 'night',
    files: ['extras/studio/journeys'],
    ...inChromium,
    workers: 2,
  },
  {
    name: 'site',
    holds: "the documents' site: built, its links and its search, in Chromium its pages and forms",
    runs: 'touched',
    files: ['extras/site/journeys', 'extras/site/tests'],
    ...inChromium,
    workers: 2,
    isPeer: true,
    reads: ['docs', 'CHANGELOG.md', 'examples/node-red', 'extras/site', 'packages/api/src/documents'],
  },
  {
    name: 'plans',
    holds: 'the plans of every statement in four states of the statistics of its tables',
    runs: 'touched',
    files: ['plans'],
    reads: ['prisma'],
  },
  {
    name: 'upgrade',
    holds: 'the upgrade from the release before, under load, and one version back, on PostgreSQL 15 and 18',
    runs: 'touched',
    files: ['upgrade'],
    reads: ['prisma'],
  },
  {
    name: 'packages',
    holds: 'the packages of npm and of a release, packed, installed elsewhere and used; the examples',
    runs: 'touched',
    files: [
      'extras/release/tests',
      ...['client-outside', 'examples'].map((name) => `testing/${name}.test.ts`),
    ],
    reads: ['examples', 'extras/release', 'prisma', 'scripts'],
  },
  {
    name: 'operator',
    holds: 'cells, and locations that move between them, killed at every step',
    runs: 'touched',
    files: ['extras/operator/tests'],
    isPeer: true,
    reads: ['packages/api/src/resources/locations', 'packages/cli', 'packages/db/src/tables', 'prisma'],
  },
  {
    name: 'integrator',
    holds: 'comanda.mjs and its guides, certifications of real programs, the recorded day of Tryton',
    runs: 'touched',
    files: ['extras/integrator/tests', 'extras/tryton/tests/calls.test.ts'],
    isPeer: true,
    reads: ['docs/guides', 'examples', 'extras/integrator', 'packages/worker/src/certification'],
  },
  {
    name: 'languages',
    holds:
      'the clients in Python, Java, C# and PHP; clients that OpenAPI generators make, in TypeScript and Python',
    runs: 'touched',
    files: [
      'generated-clients',
      ...['calls', 'guide', 'repeats', 'webhooks'].map(
        (name) => `extras/integrator/tests/languages-${name}.test.ts`,
      ),
      'extras/integrator/tests/python.test.ts',
    ],
    isPeer: true,
    reads: ['examples', 'extras/integrator'],
  },
  {
    name: 'bundlers',
    holds:
      'the built client through webpack, Vite and esbuild, in an edge runtime, with the oldest and the newest tRPC that React takes, with React 18 and TypeScript 5.0; its front in Next.js, built and run, and the examples of it',
    runs: 'touched',
    files: ['bundlers'],
    needs: 'packages of tests/bundlers, installed when it first runs',
    isPeer: true,
    reads: ['examples', 'packages/client', 'scripts/client'],
  },
  {
    name: 'tools',
    holds:
      'the OpenAPI documents given to swagger-parser, prism, openapi-zod-client and Postman, and the collections of the site to newman and to the CLI of Bruno',
    runs: 'touched',
    files: ['tools'],
    needs: 'packages of tests/tools, installed when it first runs',
    isPeer: true,
    reads: ['docs/guides', 'packages/api/src/documents/site'],
  },
  {
    name: 'samples',
    holds: 'every block of code in the guides, and the samples of the documents, executed',
    runs: 'touched',
    files: ['samples'],
    isPeer: true,
    reads: ['docs/guides', 'examples', 'extras/demo'],
  },
  {
    name: 'bench',
    holds: 'the bench, on tiny data',
    runs: 'touched',
    files: ['extras/bench/tests'],
    isPeer: true,
    reads: ['extras/bench'],
  },
  {
    name: 'recipes',
    holds:
      'the recipes of ARCHITECTURE, carried out on a copy, with the tests there that see every table and operation, then with steps left out. `--long` leaves out each in turn, after the whole of `npm test`',
    runs: 'night',
    program: './recipes.mjs',
  },
  {
    name: 'outside',
    holds:
      'dumps, pgBackRest, PgBouncer, proxies, an image, Prometheus, Patroni, Tryton, Node-RED, the inspector of MCP',
    runs: 'night',
    files: ['outside', ...['certified', 'tryton'].map((name) => `extras/tryton/tests/${name}.test.ts`)],
    needs:
      'programs of Debian, it says which is missing; Node-RED and the inspector, installed when they first run',
    programs: [
      ['pg_dump', 'postgresql'],
      ['promtool', 'prometheus'],
      ['etcd', 'etcd-server'],
      ['trytond-admin', 'tryton-server'],
      ['nginx', 'nginx'],
      ['haproxy', 'haproxy'],
      ...['logrotate', 'mmdebstrap', 'patroni', 'pgbackrest', 'pgbouncer', 'runc', 'skopeo', 'umoci'].map(
        (name) => [name, name],
      ),
    ],
  },
  {
    name: 'soak',
    holds:
      'the whole service, twice, under load with a kill a minute and bad neighbors, compared with its model; for 15 minutes, or COMANDA_MINUTES',
    runs: 'night',
    files: ['soak'],
  },
  {
    name: 'faults',
    holds:
      'the fault tests and the model in their long form, the random walk, writes that come at once, and 5,000 edits by hand',
    runs: 'hand',
    files: [
      'faults',
      'model',
      'concurrency/random-walk.test.ts',
      'fuzz/hand-edits.test.ts',
      ...['moves', 'orders', 'payments', 'products', 'stock'].map(
        (noun) => `concurrency/${noun}-joined.test.ts`,
      ),
    ],
    trials: 'full',
  },
  {
    name: 'fuzz',
    holds:
      'the property tests in their long form: 20,000 requests, 20,000 bodies of 1 to 8 MiB, 5,000 edits by hand',
    runs: 'hand',
    files: ['fuzz', 'attack/large-bodies.test.ts'],
    trials: 'full',
  },
  {
    name: 'power',
    holds:
      'whether the tests of `.ci/run` notice 60 faults of the service, one at a time (tests/power); with `--starts` ten of processes and starts. It resumes where it was stopped',
    runs: 'hand',
    program: './power.mjs',
  },
  {
    name: 'patroni',
    holds: 'of `outside`, the cluster of `ops/patroni` alone, in its long form',
    runs: 'hand',
    files: ['outside/patroni.test.ts'],
    needs: 'Patroni, etcd, HAProxy and PostgreSQL 15 of Debian',
    trials: 'full',
  },
  {
    name: 'postgres',
    holds:
      '`npm test` on PostgreSQL 15, 16, 17 and 18 in turn. `15` runs one of them; other words go to `npm test` (`--suite postgres 15 --suite slow`)',
    runs: 'hand',
    needs: 'PostgreSQL 15, 16 and 17 (50 MB), installed in tests/postgres-versions when it first runs',
    program: './postgres.mjs',
  },
];

/**
 * The suite of this name.
 * @param {string} name @returns {import('./table.mjs').Suite}
 * @throws {Error} that names the list, when there is none.
 */
export function suiteNamed(name) {
  const found = suites.find((suite) => suite.name === name);
  if (found === undefined) throw new Error(`there is no suite ${name}; npm test -- --suites lists them`);
  return found;
}

/** The paths of its files and folders from the root; none for `quick`, which has what no other has. @param {import('./table.mjs').Suite} suite */
export const pathsOf = ({ files = [] }) =>
  files.map((name) => (name.startsWith('extras/') ? name : `tests/${name}`));

const globOf = (path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`);

/** The globs of the same. @param {import('./table.mjs').Suite} suite */
export const globsOf = (suite) => pathsOf(suite).map(globOf);

/**
 * The globs of the files that a run leaves to other suites: to any where it is of `quick`, and of a folder of its own what has a row
 * that runs when it is touched.
 * @param {import('./table.mjs').Suite} suite
 */
export function leftBy(suite) {
  const others = suites.filter((other) => other !== suite);
  if (suite.name === 'quick') return others.flatMap(globsOf);
  const isWithin = (path) => pathsOf(suite).some((own) => path.startsWith(`${own}/`));
  return others
    .filter(({ runs }) => runs === 'touched' && suite.trials === undefined)
    .flatMap((other) => pathsOf(other).filter(isWithin).map(globOf));
}

/** Whether its tests are in Chromium. @param {import('./table.mjs').Suite} suite */
export const isInChromium = ({ programs = [] }) => programs.some(([program]) => program === 'chromium');

/** The command that runs it. @param {import('./table.mjs').Suite} suite @param {readonly string[]} [words] that follow */
export const commandOf = ({ name }, words = []) => {
  const all = [...(name === 'quick' ? [] : ['--suite', name]), ...words];
  return ['npm test', ...(all.length > 0 ? ['--', ...all] : [])].join(' ');
};
