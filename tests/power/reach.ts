import { createHash } from 'node:crypto';
import { suites } from '../../scripts/suites/table.mjs';
import { importsOf, type SourceFile, withoutComments } from '../support/architecture.ts';
import { readCodeBase } from '../support/code-base.ts';
import type { Fault } from './faults.ts';

/** The first files of the bundles that scripts/build.mjs makes as `dist/<name>.js`. */
export type Bundles = Readonly<Record<string, string>>;

/** All of prisma/sql: every database of a test is made from it. */
const allSql = 'prisma/sql';

/** Programs that a file starts under a name made at run time, and folders that it reads. */
const started: Readonly<Record<string, readonly string[]>> = {
  'packages/api/src/large/large-bodies.ts': ['dist/large-bodies.js'],
  'packages/supervisor/src/child.ts': ['dist/api.js', 'dist/worker.js'],
  'packages/supervisor/src/main.ts': ['dist/seed.js', allSql],
  'packages/testing/src/start.ts': ['dist/testing-service.js'],
  'packages/testing/src/stub.ts': ['dist/testing-stub.js'],
  'tests/browser/app-page.ts': ['dist/main.js'],
  'tests/integrator/comanda-mjs.ts': ['packages/integrator/src/main.ts'],
  'tests/start/run.ts': ['dist/api.js', 'dist/worker.js'],
  'tests/support/database.ts': [allSql],
  'tests/support/processes.ts': ['dist/api.js', 'dist/worker.js'],
};

/** The suite of `.ci/run` by whose name a file runs: '' where it needs none, undefined where `.ci/run` omits the file. */
export function suiteOf(test: string): string | undefined {
  const has = suites.filter(({ files = [] }) => files.some((name) => test.startsWith(`tests/${name}`)));
  const own = has.find(({ ci }) => ci !== undefined);
  if (own === undefined) return has.length === 0 ? '' : undefined;
  return own.needs === undefined ? '' : own.name;
}

/**
 * Reads the imports of a tree. Gives the test files of `.ci/run` that reach a fault, the nearest first, and the digest of
 * the patch, of these files and of all below `tests` that they import.
 */
export function readReach(root: string, bundles: Bundles) {
  const codeBase = readCodeBase(root);
  const texts = new Map(codeBase.files.map(({ path, text }) => [path, text]));
  const reached = new Map<string, string[]>();
  const reachers = new Map<string, string[]>();
  for (const file of codeBase.files) {
    const imported = importsOf(file, codeBase).flatMap(({ target, typeOnly }) => (typeOnly ? [] : target));
    const all = [...imported, ...mentionedIn(file), ...(started[file.path] ?? [])];
    const targets = all.map((target) => bundles[target.replace(/^dist\/|\.js$/g, '')] ?? target);
    reached.set(file.path, targets);
    for (const target of targets) reachers.set(target, [...(reachers.get(target) ?? []), file.path]);
  }
  const words = new Map(
    codeBase.files
      .filter(({ path }) => path.endsWith('.test.ts') && suiteOf(path) !== undefined)
      .map(({ path, text }) => [path, wordsOf(path + text)]),
  );
  return ({ name, patch, sentence, files }: Fault) => {
    const targets = files.map((file) => (file.startsWith(`${allSql}/`) ? allSql : file));
    const distances = stepsFrom(targets, reachers);
    const distanceOf = (test: string) => distances.get(test) ?? 0;
    const tests = [...words.keys()].filter((test) => distances.has(test));
    // Behind an API all tests are as many steps away. The rare words decide that a test shares with the fault.
    for (const word of wordsOf([name, sentence, ...files].join(' '))) {
      const having = tests.filter((test) => words.get(test)?.has(word));
      const rarity = Math.log(tests.length / having.length);
      for (const test of having)
        distances.set(test, distanceOf(test) - rarity * (test.includes(word) ? 3 : 1));
    }
    tests.sort((one, other) => distanceOf(one) - distanceOf(other));
    const hash = createHash('sha256').update(patch);
    const used = [...stepsFrom(tests, reached).keys()].filter((path) => path.startsWith('tests/')).sort();
    for (const path of used) hash.update(`\0${path}\0${texts.get(path)}`);
    return { tests, hash: hash.digest('hex') };
  };
}

/** How many steps it is to each file that the edges lead to. */
function stepsFrom(begin: readonly string[], edges: ReadonlyMap<string, string[]>): Map<string, number> {
  const steps = new Map(begin.map((path) => [path, 0]));
  for (const [path, count] of steps)
    for (const next of edges.get(path) ?? []) if (!steps.has(next)) steps.set(next, count + 1);
  return steps;
}

/** The words of names and paths, in the singular. */
const wordsOf = (text: string): Set<string> =>
  new Set((text.match(/[A-Z]?[a-z]{2,}/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, '')));

/** Scripts and bundles that a test or a script names: `scripts/start.mjs`, `'dist', 'api.js'`. */
function mentionedIn({ path, text }: SourceFile): string[] {
  if (!/^(tests|scripts)\//.test(path)) return [];
  const code = withoutComments(text).replaceAll(/['"`]\s*,\s*['"`]/g, '/');
  return [...code.matchAll(/\b(?:scripts|dist)\/[\w-]+\.m?js\b/g)].map(([name]) => name);
}
