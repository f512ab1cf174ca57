import { execFileSync } from 'node:child_process';
import { type Bundles, readGraph, stepsFrom } from '../../tests/support/reach.ts';
import { globsOf, type Suite, suites } from './table.mjs';

/** What the OpenAPI documents are made of, as far as the service goes. */
const documents = /^packages\/api\/src\/(documents\/|.*(?:\/|\.)schema\.ts$|.*\/router\.ts$)/;
const service = /^(prisma|packages\/(api|cli|db|embedded|supervisor|worker))\//;

/** Whether a client of the service cannot know of a file: it belongs to the service, and the documents are not made of it. */
export const behindDocuments = (path: string): boolean => service.test(path) && !documents.test(path);

/**
 * The suites that run when they are touched, and are: a file that they depend on, by imports, by programs that they start, or as
 * `reads`, differs from the commit of the record. A suite without a commit here is touched.
 */
export function touchedSuites(
  root: string,
  bundles: Bundles,
  record: Readonly<Record<string, string>>,
): Suite[] {
  const { files, reached } = readGraph(root, bundles);
  const paths = files.map(({ path }) => path);
  return suites.filter((suite) => {
    if (suite.runs !== 'touched') return false;
    const changed = changedSince(root, record[suite.name]);
    if (changed === undefined) return true;
    const globs = globsOf(suite).map((glob) => glob.replace('**/*.test.ts', ''));
    const begin = paths.filter(
      (path) => path.endsWith('.test.ts') && globs.some((glob) => path.startsWith(glob)),
    );
    const edges = suite.isPeer ? withoutService(reached) : reached;
    const depends = new Set(stepsFrom(begin, edges).keys());
    const folders = [
      ...globs,
      ...(suite.reads ?? []),
      'pnpm-lock.yaml',
      ...[...depends].filter((path) => !path.includes('.')),
    ];
    return changed.some((path) => depends.has(path) || folders.some((folder) => isIn(path, folder)));
  });
}

const isIn = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** The edges of a client of the service: what is behind its interface is cut off. */
const withoutService = (edges: ReadonlyMap<string, readonly string[]>) =>
  new Map([...edges].map(([from, to]) => [from, to.filter((path) => !behindDocuments(path))]));

/** The files of the tree that differ from a commit; undefined where its history is not here. */
function changedSince(root: string, commit = ''): string[] | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  try {
    return [
      ...git('diff', '--name-only', '--no-renames', commit, '--'),
      ...git('ls-files', '--others', '--exclude-standard'),
    ];
  } catch {
    return undefined;
  }
}
