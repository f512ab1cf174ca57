import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endAfterTests } from '../../../tests/support/left-over.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { useDownload } from './comanda-mjs.ts';

const api = usePublishingApi();
const tool = useDownload(api, { batchJobsPerHour: 1_000, maxItemsPerBatch: 5 });

// A terminal of its own for the command: what it prints comes back, and its exit code.
const terminal = `
import os, pty, sys
status = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(status))
`;
const hasPython =
  spawnSync('python3', ['-c', 'import pty, sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
if (!hasPython)
  console.warn('Python 3.9 or newer is not on this machine: nothing is pushed from a terminal.');

/** Runs a command on a terminal, and answers its questions in turn. */
async function typed(
  words: readonly string[],
  ...answers: string[]
): Promise<{ code: number; shown: string }> {
  const env = { PATH: process.env.PATH, COMANDA_URL: api.url, COMANDA_KEY: tool.key };
  const argv = ['-c', terminal, process.execPath, 'comanda.mjs', ...words];
  const child = spawn('python3', argv, { cwd: tool.folder, env });
  const callOff = endAfterTests(async () => child.kill('SIGKILL'));
  let shown = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    while (answered < shown.split('[y/N]').length - 1) {
      child.stdin.write(`${answers[answered]}\n`);
      answered += 1;
    }
  });
  const [code] = await once(child, 'close');
  callOff();
  return { code, shown };
}

test.skipIf(!hasPython)('on a terminal the diff and a question come first', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `A-${index},Tea \u001b[2J,1.${10 + (index % 90)}`);
  tool.save('products.csv', ['external_id,name,price', ...rows, 'A-60,Tea,x'].join('\n'));
  const count = async () =>
    (await api.rest<{ pagination: { total: number } }>('GET /v2/products?search=A-')).body.pagination.total;

  for (const no of ['', 'n', 'yess']) {
    const { code, shown } = await typed(['push', 'products.csv'], no);
    expect({ code, count: await count() }).toEqual({ code: 1, count: 0 });
    expect(shown).toContain('nothing was pushed');
  }
  expect(existsSync(join(tool.folder, 'products.refused.csv'))).toBe(false);

  const { code, shown } = await typed(['push', 'products.csv'], 'y');
  expect({ code, count: await count() }).toEqual({ code: 3, count: 60 });
  expect(shown).toContain('created  external_id A-0  name "Tea \\u001b[2J", price 1.1, visible true');
  expect(shown).toContain('… and 20 more: --dry-run shows all');
  expect(shown).toContain('60 created, 0 updated, 0 unchanged, 1 refused');
  expect(shown).toContain('Push 60 rows? [y/N]');
  expect(shown).toContain('\r\u001b[K55 of 60 rows pushed');
  expect(shown).toContain('60 rows pushed; 1 refused: products.refused.csv');
  expect(shown.replaceAll('\u001b[K', '')).not.toContain('\u001b');
  expect(tool.load('products.refused.csv')).toContain('A-60,Tea,x,');
});

test.skipIf(!hasPython)('nothing is asked where nothing can be pushed', async () => {
  tool.save('products.csv', 'external_id,name,price\nB-1,Tea,x\n');
  const { code, shown } = await typed(['push', 'products.csv'], 'y');
  expect(code).toBe(1);
  expect(shown).not.toContain('[y/N]');
});

test.skipIf(!hasPython)(
  'each kind of rewritten identifiers is a question before anything is written',
  async () => {
    await api.make.product({ externalId: '00042' });
    tool.save('products.csv', 'external_id,name,price\n42,Tea,1\n1.23E+18,Long,1\n');
    const isThere = async () => (await api.rest('GET /v2/products/by-external-id/42')).status;
    for (const answers of [['n'], ['y', 'n'], ['y', 'y', 'n']]) {
      const { code, shown } = await typed(['push', 'products.csv'], ...answers);
      expect([code, shown.split('[y/N]').length - 1, await isThere()]).toEqual([1, answers.length, 404]);
    }
    const { code } = await typed(['push', 'products.csv'], 'y', 'y', 'y');
    expect([code, await isThere()]).toEqual([0, 200]);
  },
);
