import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';

test('npm run bench -- --check runs every part of the bench on tiny data, and no request of it fails', async () => {
  const { code, output } = await run([join(repositoryRoot, 'extras/bench/bench.mjs'), '--check']);
  expect(output.match(/^.*(could not be run|requests failed).*(\n {4}.*)*/gm)).toBeNull();
  expect(code, output).toBe(0);
  for (const work of [
    'start | npm start, second time',
    'orders | POST /v2/orders, alone',
    'lists | GET /v2/products?limit=50',
    'sync | POST /v2/sync/products',
    'sync | 250 prices',
    'sync | GET /v2/catalog unchanged',
    'changes | a products job of 500',
    'webhooks | commit to arrival',
    'hostile | calls with',
    'rest | a second at rest',
  ])
    expect(output).toContain(`| ${work}`);
}, 600_000);

test('npm run bench names its parts where it does not know one', async () => {
  const { code, output } = await run([join(repositoryRoot, 'extras/bench/bench.mjs'), 'speed']);
  expect(code).toBe(1);
  expect(output).toContain('unknown: speed');
  expect(output).toContain('orders: ');
}, 120_000);

function run(words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, words, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
