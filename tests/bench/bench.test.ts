import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';

test('npm run bench -- --check runs every part of the bench on tiny data, and no request of it fails', async () => {
  const { code, output } = await run([join(repositoryRoot, 'scripts/bench.mjs'), '--check']);
  expect(output.match(/^.*(could not be run|requests failed).*(\n {4}.*)*/gm)).toBeNull();
  expect(code, output).toBe(0);
  for (const work of [
    'GET /v2/products/{id}',
    'POST /v2/orders',
    'POST /v2/sync/products',
    'changing 250 prices',
    'GET /v2/catalog',
    'orders list',
    'export of',
    'comanda --help',
    'comanda keys list',
    'startComanda()',
    'createClient and comandaError',
    'a program of calls',
    'calls with',
    'commit to arrival with',
    'an order of three lines',
    'a look by every rule of retention',
  ])
    expect(output).toContain(`| ${work}`);
}, 600_000);

function run(words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, words, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
