// Which commit a tree is of: written at every bootstrap to dist/build.json, which packages bring along and
// packages/db/src/release/build.ts reads.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The inputs of a build; edits elsewhere do not make another build. */
const sources = ['package.json', 'packages', 'pnpm-lock.yaml', 'prisma', 'scripts'];

/** @param {string} root of the tree */
export function writeBuildInfo(root) {
  const text = `${JSON.stringify(commitOf(root))}\n`;
  const file = join(root, buildInfo);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(join(root, 'dist'), { recursive: true });
  // Processes that start meanwhile read one or the other.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

export const buildInfo = 'dist/build.json';

/** Nothing where the tree is no repository of its own, or git is not installed. */
function commitOf(root) {
  if (!existsSync(join(root, '.git'))) return {};
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const [commit, seconds] = git('log', '-1', '--abbrev=7', '--format=%h %ct')?.split(' ') ?? [];
  const edits = git('status', '--porcelain', '--', ...sources);
  if (seconds === undefined || edits === undefined) return {};
  return {
    commit: `${commit}${edits === '' ? '' : '-dirty'}`,
    committedAt: new Date(Number(seconds) * 1000).toISOString(),
  };
}
