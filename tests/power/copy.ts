import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copyTree, linkPackages, npmTest, runIn } from '../../scripts/recipes/copy.mjs';

export type Copy = ReturnType<typeof openCopy>;

const author = ['-c', 'user.name=power', '-c', 'user.email=power@localhost'];
const buildAll = "import('./scripts/suites/power.mjs').then(({ build }) => build(process.argv[1]))";

/** A copy of the tree as it is now, with its history and packages, in which one fault at a time is tried. */
export function openCopy(source: string, signal: AbortSignal) {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-power-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  const root = join(folder, 'tree');
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: root, input, encoding: 'utf8', stdio: 'pipe' });
  // A build is named after its commit.
  const commit = () => git([...author, 'commit', '-qm', 'power', '--allow-empty']);
  execFileSync('git', ['clone', '-q', '--no-checkout', source, root]);
  copyTree(source, root);
  git(['add', '--all']);
  commit();
  const base = git(['rev-parse', 'HEAD']).trim();
  for (const path of git(['ls-files', 'tests/*/package-lock.json']).trim().split('\n'))
    linkPackages(join(source, dirname(path)), join(root, dirname(path)));
  return {
    root,
    /** @throws where the patch does not apply. */
    apply(patch: string) {
      git(['apply', '--index'], patch);
      commit();
    },
    revert: () => git(['reset', '-q', '--hard', base]),
    /** Builds what the tests of a suite start. @throws with what it printed, when it failed. */
    build: (suite: string) => runIn(root, signal, ['-e', buildAll, suite]),
    /** Runs files of tests in this order, until one fails; gives nothing after the limit. */
    async test(suite: string, files: readonly string[], limitMs: number) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), limitMs);
      const over = AbortSignal.any([signal, limit.signal]);
      process.env.COMANDA_TEST_ORDER = files.join(' ');
      const words = [...(suite === '' ? [] : ['--suite', suite]), ...files, '--bail', '1'];
      try {
        return await npmTest(root, over, words);
      } catch (error) {
        if (over.aborted) return undefined;
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
