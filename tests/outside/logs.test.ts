import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { type Operator, startOperator } from './operator.ts';
import { programPath } from './programs.ts';

// An operator with docs/operations/logs.md in hand, and an API whose standard output is a file.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const encryptionKey = randomBytes(32).toString('base64');
let operator: Operator;
let maker: TestApi;
let api: TestProcess;
let logs: string;
const file = () => join(logs, 'api.log');

beforeAll(async () => {
  programPath('logrotate');
  operator = await startOperator('operations/logs.md', encryptionKey);
  const { cluster, env } = operator;
  logs = join(cluster.home, 'logs');
  Object.assign(env, { LOGS: logs, CONF: join(cluster.home, 'conf'), PATH: `/usr/sbin:${env.PATH}` });
  // Others may not write there, or logrotate refuses.
  for (const folder of [logs, env.CONF ?? '']) {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  }
  const databaseUrl = cluster.url('comanda_service', 'comanda');
  maker = await startTestApi({ databaseUrl, encryptionKey });
  const stdout = openSync(file(), 'a', 0o644);
  api = await startProcess({
    entry: 'api',
    env: { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKey, LOG_LEVEL: 'info', API_PROCESSES: '1' },
    stdout,
  });
  closeSync(stdout);
});
afterAll(async () => {
  await api?.stop();
  await maker?.close();
  await operator?.remove();
});

const ask = async (count: number) => {
  for (let n = 0; n < count; n += 1)
    await fetch(`${api.url}/v2/products?limit=1&secret=hunter2`, {
      headers: { authorization: `Bearer ${maker.key.key}` },
    });
};
const requestsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { msg: string })
    .filter(({ msg }) => msg === 'request').length;
const settled = (count: number) =>
  waitFor('the lines', () => requestsIn(readFileSync(file(), 'utf8')) === count);

// As an operator goes down the page: in its order.
describe('the page of logs', { shuffle: false }, () => {
  it('a file that is rotated loses no line of before, is cut, and gets those of later', async () => {
    await ask(200);
    await settled(200);
    const before = readFileSync(file(), 'utf8');
    await operator.follow('Into files', {});
    const [rotated, ...others] = readdirSync(logs).filter((name) => name.endsWith('.gz'));
    expect(others).toEqual([]);
    const packed = readFileSync(join(logs, rotated ?? ''));
    expect(gunzipSync(packed).toString()).toBe(before);
    await ask(3);
    await settled(3);
    // Opened for appending: no hole is left where the old lines were.
    expect(statSync(file()).size).toBe(Buffer.byteLength(readFileSync(file(), 'utf8').replaceAll('\0', '')));
    const line = Math.round(before.length / before.trimEnd().split('\n').length);
    process.stdout.write(`a line: ${line} bytes; packed to ${(packed.length / before.length).toFixed(2)}\n`);
    expect(before).not.toContain(maker.key.key);
    expect(before).not.toContain('hunter2');
  });

  it('every command of the page was run', () => {
    expect(operator.left().filter(({ kind }) => kind === 'sh')).toEqual([]);
  });
});
