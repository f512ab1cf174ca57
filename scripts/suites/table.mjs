// The suites of tests: one row each. npm test runs them by name, .ci/run those with `ci`, vitest.config.ts takes their files
// from here, and npm run docs writes the tables of CONTRIBUTING from it.

/** Every suite; those of .ci/run first, in its order. @type {readonly import('./table.mjs').Suite[]} */
export const suites = [
  {
    name: 'quick',
    holds:
      'format, lint, types; rules, contract, API, database, documents, client: every test that is in no other suite. `npm test` alone runs it',
    minutes: 4.1,
    ci: [],
    runsAgain: true,
  },
  {
    name: 'recipes',
    holds:
      'the recipes of ARCHITECTURE, carried out on a copy, with the whole of `npm test`, attacks and plans there, then with every step left out in turn. `--short`: the same with two of the attacks, no plans and two steps left out',
    minutes: 5,
    ci: ['--short'],
    program: './recipes.mjs',
  },
  {
    name: 'slow',
    holds:
      'what mostly waits: the worker, a whole day, plans of every statement, the command line, Studio, starts, doctor, generated clients, samples and guides, packages and examples, upgrades from the release before',
    minutes: 19,
    ci: [],
    runsAgain: true,
    files: [
      ...['cli', 'deeds', 'doctor', 'e2e', 'generated-clients', 'integrator', 'live', 'locations', 'plans'],
      ...['samples', 'soak', 'start', 'studio', 'testing', 'upgrade', 'worker'],
      ...['contract/examples-executed.test.ts', 'contract/repeats.test.ts', 'db/edits-are-audited.test.ts'],
    ],
  },
  {
    name: 'pressure',
    holds:
      'faults, races, attacks, property tests in their short form, and the bench on tiny data; three files at once',
    minutes: 10,
    ci: [],
    runsAgain: true,
    files: ['attack', 'bench', 'concurrency', 'faults', 'fuzz'],
    // They mostly wait, but four at once would be a pressure that none of them means.
    workers: 3,
  },
  {
    name: 'bundlers',
    holds:
      'the built client through webpack, Vite and esbuild, in an edge runtime, with the oldest and the newest tRPC that React takes, with React 18 and TypeScript 5.0; its front in Next.js, built and run, and the examples of it',
    minutes: 1,
    ci: [],
    during: 'slow',
    runsAgain: true,
    files: ['bundlers'],
    needs: 'packages of tests/bundlers, installed when it first runs',
  },
  {
    name: 'browser',
    holds:
      "the documents' site: built, its links and its search; with Chromium also looked at, one browser at a time; live lists with React 18 and 19",
    minutes: 14,
    ci: [],
    during: 'slow',
    runsAgain: true,
    files: ['site', 'browser'],
    needs:
      'Chromium (Debian: `chromium`, or `COMANDA_CHROMIUM` names one); without it only the tests of the site run',
    // More than one browser wait for each other on a small machine.
    workers: 1,
  },
  {
    name: 'tools',
    holds:
      'the OpenAPI documents given to swagger-parser, prism, openapi-zod-client and Postman, and the Postman collections of the site to newman',
    minutes: 1.5,
    ci: [],
    during: 'slow',
    runsAgain: true,
    files: ['tools'],
    needs: 'packages of tests/tools, installed when it first runs',
  },
  {
    name: 'faults',
    holds:
      'the fault tests in their long form, the random walk, writes that come at once, and 5,000 edits by hand',
    files: [
      ...['faults', 'soak', 'concurrency/random-walk.test.ts', 'fuzz/hand-edits.test.ts'],
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
    files: ['fuzz', 'attack/large-bodies.test.ts'],
    trials: 'full',
  },
  {
    name: 'power',
    holds:
      'whether the tests of `.ci/run` notice 60 faults of the service, one at a time (tests/power); with `--starts` ten of processes and starts. It resumes where it was stopped',
    program: './power.mjs',
  },
  {
    name: 'soak',
    holds:
      'the whole service under load with a kill a minute, held against a ledger. `--minutes 30` shortens it',
    minutes: 120,
    program: './soak.mjs',
  },
  {
    name: 'outside',
    holds: 'dumps, pgBackRest, PgBouncer, proxies, an image, Prometheus, Patroni, Tryton',
    files: ['outside'],
    needs: 'programs of Debian; it says which is missing',
  },
  {
    name: 'patroni',
    holds: 'of these, the cluster of `ops/patroni` alone, in its long form',
    files: ['outside/patroni.test.ts'],
    needs: 'Patroni, etcd, HAProxy and PostgreSQL 15 of Debian',
    trials: 'full',
  },
  {
    name: 'postgres',
    holds:
      '`npm test` on PostgreSQL 15, 16, 17 and 18 in turn. `15` runs one of them; other words go to `npm test` (`--suite postgres 15 --suite slow`)',
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

/** The globs of its files from the root; none for `quick`, which has what no other has. @param {import('./table.mjs').Suite} suite */
export const globsOf = ({ files = [] }) =>
  files.map((name) => (name.endsWith('.ts') ? `tests/${name}` : `tests/${name}/**/*.test.ts`));

/** The command that runs it. @param {import('./table.mjs').Suite} suite @param {readonly string[]} [words] that follow */
export const commandOf = ({ name }, words = []) => {
  const all = [...(name === 'quick' ? [] : ['--suite', name]), ...words];
  return ['npm test', ...(all.length > 0 ? ['--', ...all] : [])].join(' ');
};
