import { importsOf, type SourceFile, withoutComments } from './architecture.ts';
import { readCodeBase } from './code-base.ts';

/** The first files of the bundles that scripts/build.mjs makes as `dist/<name>.js`. */
export type Bundles = Readonly<Record<string, string>>;

/** The edges of the files of a tree: what each leads to, by imports and by programs that it starts. */
export interface FileGraph {
  files: readonly SourceFile[];
  reached: ReadonlyMap<string, readonly string[]>;
  reachers: ReadonlyMap<string, readonly string[]>;
}

/** All of prisma/sql: every database of a test is made from it. */
export const allSql = 'prisma/sql';

/** Programs that a file starts under a name made at run time, and folders that it reads. */
const started: Readonly<Record<string, readonly string[]>> = {
  'packages/api/src/large/large-bodies.ts': ['dist/large-bodies.js'],
  'packages/supervisor/src/child.ts': ['dist/api.js', 'dist/worker.js'],
  'packages/supervisor/src/main.ts': ['dist/seed.js', allSql],
  'packages/testing/src/start.ts': ['dist/testing-service.js'],
  'packages/testing/src/stub.ts': ['dist/testing-stub.js'],
  'tests/browser/app-page.ts': ['dist/main.js'],
  'extras/integrator/tests/comanda-mjs.ts': ['extras/integrator/src/main.ts'],
  'tests/start/run.ts': ['dist/api.js', 'dist/worker.js'],
  'tests/support/database.ts': [allSql],
  'tests/support/processes.ts': ['dist/api.js', 'dist/worker.js'],
};

/** Reads the files of a tree and their edges. */
export function readGraph(root: string, bundles: Bundles): FileGraph {
  const codeBase = readCodeBase(root);
  const reached = new Map<string, string[]>();
  const reachers = new Map<string, string[]>();
  for (const file of codeBase.files) {
    const imported = importsOf(file, codeBase).flatMap(({ target, typeOnly }) => (typeOnly ? [] : target));
    const all = [...imported, ...mentionedIn(file), ...(started[file.path] ?? [])];
    const targets = all.map((target) => bundles[target.replace(/^dist\/|\.js$/g, '')] ?? target);
    reached.set(file.path, targets);
    for (const target of targets) reachers.set(target, [...(reachers.get(target) ?? []), file.path]);
  }
  return { files: codeBase.files, reached, reachers };
}

/** How many steps it is to each file that the edges lead to. */
export function stepsFrom(
  begin: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const steps = new Map(begin.map((path) => [path, 0]));
  for (const [path, count] of steps)
    for (const next of edges.get(path) ?? []) if (!steps.has(next)) steps.set(next, count + 1);
  return steps;
}

/** Scripts and bundles that a test or a script names: `scripts/start.mjs`, `'dist', 'api.js'`. */
function mentionedIn({ path, text }: SourceFile): string[] {
  if (!/^(tests|scripts|extras)\//.test(path)) return [];
  const code = withoutComments(text).replaceAll(/['"`]\s*,\s*['"`]/g, '/');
  return [...code.matchAll(/\b(?:scripts|dist)\/[\w-]+\.m?js\b/g)].map(([name]) => name);
}
