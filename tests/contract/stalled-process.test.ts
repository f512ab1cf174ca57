import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defaultBounds } from '../../packages/api/src/http/bounds.ts';
import { startServer } from '../../packages/api/src/http/server.ts';
import { useApi } from '../support/api.ts';
import { use } from '../support/use.ts';
import { stall } from '../support/wait.ts';

const api = useApi();
const server = use(
  () =>
    startServer(
      api.app,
      { host: '127.0.0.1', port: 0 },
      { ...defaultBounds, headersTimeoutMs: 200, requestTimeoutMs: 200, checkEveryMs: 20 },
    ),
  (own) => own.drain(1_000),
);

/** Sends the parts, the last one right before this process, the server's too, stalls beyond its bounds; the first line of the answer. */
async function answerOf(parts: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.on('connect', resolve));
  for (const part of parts.slice(0, -1)) socket.write(part);
  await sleep(50);
  // Behind the reading of sockets: the timers come before the next one.
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(parts.at(-1) ?? '');
  stall(400);
  await ended;
  return text.split('\r\n')[0] ?? '';
}

const post = (body: string) =>
  `POST /v2/categories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key.key}\r\nContent-Type: application/json\r\n` +
  `Idempotency-Key: ${body.length}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
const category = (bytes: number) =>
  JSON.stringify({ name: 'Tea', priority: 1, visible: true }) + ' '.repeat(bytes);

test.each([
  ['a head', () => ['', 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'], 200],
  ['the rest of a head', () => ['GET /healthz HTTP/1.1\r\n', 'Host: x\r\nConnection: close\r\n\r\n'], 200],
  ['a body', () => [post(category(0)), category(0)], 201],
  ['the rest of a large body', () => [post(category(900_000)), category(900_000)], 201],
])('%s that came while the process stalled was refused as late', async (_, parts, status) => {
  expect(await answerOf(parts())).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test.each([
  ['body', () => [post(category(10)), category(0)]],
  ['head', () => ['GET /healthz HTTP/1.1\r\n', 'Host: x\r\n']],
])('a %s of which only a part came while the process stalled is late', async (_, parts) => {
  expect(await answerOf(parts())).toMatch(/^HTTP\/1.1 408 /);
});
