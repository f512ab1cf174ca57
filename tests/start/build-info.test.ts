import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownBuild } from '../../packages/db/src/release/build.ts';
import { buildInfo, writeBuildInfo } from '../../scripts/build-info.mjs';
import { callComanda, runComanda } from '../support/command.ts';
import { useTestDatabase } from '../support/database.ts';
import { startProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'comanda-tree-'));
  mkdirSync(join(tree, 'prisma'));
  mkdirSync(join(tree, 'docs'));
});
afterEach(() => rmSync(tree, { recursive: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: tree,
    encoding: 'utf8',
    env: { ...process.env, GIT_COMMITTER_DATE: '2027-03-01T12:00:00Z' },
  });
const write = (file: string, text: string) => writeFileSync(join(tree, file), text);
const written = () => {
  writeBuildInfo(tree);
  return JSON.parse(readFileSync(join(tree, buildInfo), 'utf8'));
};

test('a build is known by its commit, and by -dirty where what it is made of was edited', () => {
  expect(written()).toEqual({});
  write('prisma/a.sql', 'one');
  write('.gitignore', 'dist\n');
  git('init', '--quiet');
  expect(written()).toEqual({});
  git('add', '.');
  git('commit', '--quiet', '--message=first');
  const commit = git('rev-parse', '--short=7', 'HEAD').trim();
  const committedAt = '2027-03-01T12:00:00.000Z';
  write('docs/page.md', 'says nothing about the build');
  expect(written()).toEqual({ commit, committedAt });
  write('prisma/b.sql', 'new');
  expect(written()).toEqual({ commit: `${commit}-dirty`, committedAt });
});

test('a tree inside of another repository is not taken for it', () => {
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message=outer');
  mkdirSync(join(tree, 'inner'));
  writeBuildInfo(join(tree, 'inner'));
  expect(JSON.parse(readFileSync(join(tree, 'inner', buildInfo), 'utf8'))).toEqual({});
});

const build = ownBuild();
const own = useTestDatabase();

test('the version and the commit are in --version', async () => {
  expect(build).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), commit: expect.any(String) });
  expect((await runComanda({}, '--version')).stdout).toBe(`comanda ${build.version} (${build.commit})\n`);
  expect(JSON.parse((await callComanda({}, '--version', '--json')).stdout)).toEqual(build);
});

test.each(['api', 'worker'] as const)(
  'they are in the first line of the log of the %s, in its /healthz and in its metrics',
  async (entry) => {
    const env = { DATABASE_URL: own.url, WORKER_PORT: '0', API_PROCESSES: '2' };
    const running = await startProcess({ entry, env });
    await waitFor('its lines', () => running.output().includes('"ready"'));
    const lines = running
      .output()
      .split('\n')
      .map((line) => (line === '' ? {} : JSON.parse(line)));
    expect(lines[0]).toMatchObject({ ...build, msg: 'starting' });
    expect(lines.filter(({ msg }) => msg === 'starting')).toHaveLength(1);
    const url = running.url ?? lines.find(({ msg }) => msg === 'ready')?.url;
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', ...build });
    if (entry === 'worker')
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(
        `comanda_build_info{version="${build.version}",commit="${build.commit}",node="${process.version}"} 1`,
      );
    await running.stop();
  },
);
