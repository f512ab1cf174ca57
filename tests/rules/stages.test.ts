import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { howFar, stagesOf } from '../../scripts/suites/stages.mjs';
import { suites } from '../../scripts/suites/table.mjs';
import { waitFor } from '../support/wait.ts';

describe('the stages of .ci/run', () => {
  const stages = stagesOf(suites).map((stage) => stage.map(({ name }) => name));

  it('a suite would run twice, or not at all', () => {
    const ofCi = suites.filter(({ ci }) => ci !== undefined).map(({ name }) => name);
    expect(stages.flat().toSorted()).toEqual(ofCi.toSorted());
  });

  it('a suite that fills the machine, or means a pressure, would run in company', () => {
    for (const name of ['quick', 'recipes', 'pressure']) expect(stages).toContainEqual([name]);
  });

  it('tests that fail in company would have no second run alone', () => {
    const inCompany = stagesOf(suites)
      .filter((stage) => stage.length > 1)
      .flat();
    expect(inCompany.filter(({ runsAgain }) => runsAgain !== true)).toEqual([]);
  });
});

describe('suites in company', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'comanda-stages-'));
    // Two words a name, one at its start and one 300 ms later; the suite named `stuck` goes on for ever.
    writeFileSync(
      join(folder, 'suite.mjs'),
      `const name = process.argv[2];
      console.log(name + ' begins', process.pid);
      if (name === 'stuck') setInterval(() => {}, 1_000);
      else setTimeout(() => console.log(name + ' ends\\n3 passed, ' + (name === 'bad' ? 1 : 0) + ' failed'), 300);
      process.exitCode = name === 'bad' ? 1 : 0;`,
    );
    writeFileSync(
      join(folder, 'stage.mjs'),
      `import { runStage } from ${JSON.stringify(join(repositoryRoot, 'scripts/suites/stages.mjs'))};
      process.once('SIGTERM', () => process.exit(130));
      const words = ({ name }) => 'node ' + ${JSON.stringify(join(folder, 'suite.mjs'))} + ' ' + name;
      const outcomes = await runStage(process.argv.slice(2).map((name) => ({ name })), { words, everyMs: 100 });
      console.log(JSON.stringify(outcomes.map(({ suite, passed, failed }) => [suite.name, passed, failed])));`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function stage(...names: string[]): { child: ChildProcess; said(): string; ended: Promise<number | null> } {
    const child = spawn(process.execPath, [join(folder, 'stage.mjs'), ...names], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    return { child, said: () => text, ended: new Promise((resolve) => child.on('close', resolve)) };
  }

  it('have outputs that are not mixed, and a line meanwhile; one counts as it would alone', async () => {
    const { said, ended } = stage('slow', 'bad', 'good');
    expect(await ended).toBe(0);
    for (const name of ['slow', 'bad', 'good'])
      expect(said()).toMatch(new RegExp(`^${name} begins \\d+\n${name} ends$`, 'm'));
    expect(said()).toMatch(/suite\.mjs slow: 0 files done, 0 minutes\n/);
    expect(said().indexOf('good begins')).toBeGreaterThan(said().indexOf('bad ends'));
    expect(JSON.parse(said().trim().split('\n').at(-1) ?? '')).toEqual([
      ['slow', 3, 0],
      ['bad', 3, 1],
      ['good', 3, 0],
    ]);
  });

  it('show what they had when the run is ended from outside, and end with it', async () => {
    const { child, said, ended } = stage('stuck', 'good');
    await waitFor('the other suite', () => said().includes('good ends'));
    child.kill('SIGTERM');
    expect(await ended).toBe(130);
    const pid = Number(/stuck begins (\d+)/.exec(said())?.[1]);
    await waitFor('the end of the suite', () => !isAlive(pid));
  });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('the files that are done, and those that failed, are counted by the lines of vitest', () => {
  const output = [
    ' \u001b[32m✓\u001b[39m \u001b[30m\u001b[46m database \u001b[49m\u001b[39m tests/a/one.test.ts \u001b[2m(2 tests)\u001b[22m 5ms',
    '   \u001b[32m✓\u001b[39m a test of tests/a/one.test.ts 4ms',
    ' ❯  database  tests/b/two.test.ts (2 tests | 1 failed) 5ms',
    '   × a test 4ms',
  ].join('\n');
  expect(howFar(output)).toBe('2 files done, failed in tests/b/two.test.ts');
});
