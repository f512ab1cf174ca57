import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { copyTree } from '../../../scripts/recipes/copy.mjs';
import { upgradeRow } from '../src/texts.mjs';

// The tree as it is, as a repository of one commit whose .ci/run passes at once.
const folder = mkdtempSync(join(tmpdir(), 'comanda-released-'));
const tree = join(folder, 'tree');
const out = join(folder, 'out');
const version: string = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).version;

const git = (...words: string[]) => execFileSync('git', words, { cwd: tree, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(tree, file), 'utf8');

function release(...words: string[]): { status: number | null; output: string } {
  const { COMANDA_TEST_DIRECTORY: _, COMANDA_TEST_SUITE: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['extras/release/release.mjs', ...words], {
    cwd: tree,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { status, output: stdout + stderr };
}

beforeAll(() => {
  mkdirSync(tree);
  copyTree(repositoryRoot, tree);
  writeFileSync(join(tree, '.ci/run'), '#!/bin/sh\necho checked\n', { mode: 0o755 });
  git('init', '--quiet', '--initial-branch=main');
  for (const [name, value] of [
    ['user.name', 'Ana'],
    ['user.email', 'ana@example.com'],
  ] as const)
    git('config', name, value);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'As it is');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

it.each([
  [[], /npm run release -- <version>/],
  [['1.2'], /1\.2 is not a version as 1\.2\.0 is/],
  [[version, '--next', version], /does not come after/],
  [[version, '--apply', '--no-checks'], /a release that is not checked is not made/],
])('%j is refused with a sentence, and changes nothing', (words, sentence) => {
  const { status, output } = release(...words);
  expect([status, output]).toEqual([1, expect.stringMatching(sentence)]);
  expect(git('status', '--porcelain')).toBe('');
});

it('uncommitted changes are no part of a release', () => {
  writeFileSync(join(tree, 'LICENSE'), 'mine');
  try {
    expect(release(version).output).toMatch(/changes that are not committed/);
  } finally {
    git('checkout', '--quiet', 'LICENSE');
  }
});

it('a version that does not come after a released one is refused', () => {
  git('tag', 'v99.0.0');
  try {
    expect(release(version).output).toMatch(/does not come after v99\.0\.0, which is released/);
  } finally {
    git('tag', '--delete', 'v99.0.0');
  }
});

it('a release is a tag, two commits, and files that its checksums and its provenance name', {
  timeout: 600_000,
}, () => {
  const before = git('rev-parse', 'HEAD');
  const { status, output } = release(version, '--apply', '--out', out);
  expect([status, output]).toEqual([0, expect.stringContaining('checked')]);

  const released = git('rev-parse', `v${version}^{commit}`);
  expect(git('log', '--format=%s', `${before}..`).split('\n')).toHaveLength(2);
  expect(git('rev-parse', 'HEAD^')).toBe(released);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('show', `${released}:CHANGELOG.md`)).toMatch(
    new RegExp(`^## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm'),
  );
  expect(read('tests/upgrade/releases.ts')).toContain(`version: '${version}',\n  commit: '${released}'`);
  const { version: next } = JSON.parse(read('package.json'));
  expect(read('CHANGELOG.md')).toContain(`## ${next}, unreleased (`);
  expect(read('docs/operations/upgrades.md')).toContain(
    `${upgradeRow({ version, commit: released }, next)}\n`,
  );

  const files = readdirSync(out).sort();
  const archive = `comanda-${version}.tar.gz`;
  expect(files).toEqual(
    expect.arrayContaining([
      'SHA256SUMS',
      `comanda-${version}.cdx.json`,
      `comanda-${version}.intoto.json`,
      archive,
    ]),
  );
  expect(files.filter((name) => name.endsWith('.tgz'))).toHaveLength(3);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
  expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n')).toHaveLength(files.length);

  const provenance = JSON.parse(readFileSync(join(out, `comanda-${version}.intoto.json`), 'utf8'));
  expect(provenance.predicate.buildDefinition).toMatchObject({
    externalParameters: { version, checks: '.ci/run' },
    resolvedDependencies: [{ digest: { gitCommit: released } }, { name: 'pnpm-lock.yaml' }],
  });
  const sums = new Map(
    readFileSync(join(out, 'SHA256SUMS'), 'utf8')
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  for (const { name, digest } of provenance.subject)
    expect([name, digest.sha256]).toEqual([name, sums.get(name)]);
  expect(provenance.subject).toHaveLength(files.length - 2);

  // The archive has the packages that the bill of materials names, and no other.
  const packed = execFileSync('tar', ['-tzf', archive], {
    cwd: out,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  }).split('\n');
  const bill = JSON.parse(readFileSync(join(out, `comanda-${version}.cdx.json`), 'utf8'));
  const named = new Set<string>(bill.components.map(({ name }: { name: string }) => name));
  const installed = new Set(
    packed.flatMap((path) => /.*\/node_modules\/(@[^/]+\/[^/]+|[^@/][^/]*)\//.exec(path)?.[1] ?? []),
  );
  expect([...installed].filter((name) => !named.has(name))).toEqual([]);
  expect(named).toContain('react');
  expect(named).not.toContain('vitest');
});
