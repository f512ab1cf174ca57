import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { defaultBounds } from '../../packages/api/src/http/bounds.ts';
import { startServer } from '../../packages/api/src/http/server.ts';
import { callRest, useApi } from '../support/api.ts';
import { reportFault, trials } from '../support/trials.ts';

const api = useApi();

/** A caller that is slow on purpose, and keeps its side open in any case. */
interface SlowSender {
  about: string;
  /** Sent at once; `$KEY` becomes a key. */
  first: string;
  /** Sent again and again, every 500 ms. */
  drip?: string;
  /** The answer, when one is owed. */
  status?: RegExp;
}

const head = 'Host: x\r\nAuthorization: Bearer $KEY\r\nContent-Type: application/json\r\n';
const senders: SlowSender[] = [
  { about: 'says nothing', first: '', status: /^HTTP\/1.1 408 / },
  {
    about: 'drips its headers',
    first: 'GET /v2/products HTTP/1.1\r\nHost: x\r\n',
    drip: 'X-A: b\r\n',
    status: /^HTTP\/1.1 408 /,
  },
  { about: 'never ends its first line', first: 'GET /', drip: 'a', status: /^HTTP\/1.1 408 / },
  {
    about: 'drips its body',
    first: `POST /v2/categories HTTP/1.1\r\n${head}Content-Length: 900000\r\n\r\n{`,
    drip: ' ',
    status: /^HTTP\/1.1 408 /,
  },
  {
    about: 'never ends its chunks',
    first: `POST /v2/categories HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
    drip: '1\r\n \r\n',
    status: /^HTTP\/1.1 408 /,
  },
  {
    about: 'drips a body over tRPC',
    first: `POST /trpc/categories.create HTTP/1.1\r\n${head}Content-Length: 900000\r\n\r\n{`,
    drip: ' ',
    status: /^HTTP\/1.1 408 /,
  },
  {
    about: 'drips a body after a refusal',
    first: 'POST /v2/categories HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n',
    drip: ' ',
    status: /^HTTP\/1.1 401 /,
  },
  {
    about: 'drips garbage after its answer',
    first: 'GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n',
    drip: '\0',
    status: /^HTTP\/1.1 404 /,
  },
];

const each = trials(50, 100);

describe('400 slow senders', () => {
  test('are gone soon, each with an answer, while others are served', async () => {
    // 10 s is the promise for a body; here it has a fifth of the time.
    expect(defaultBounds.requestTimeoutMs + defaultBounds.checkEveryMs).toBeLessThan(10_000);
    const bounds = { ...defaultBounds, headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 };
    const server = await startServer(api.app, { host: '127.0.0.1', port: 0 }, bounds);
    const to = { url: server.url, key: api.token };
    const slow = senders.flatMap((sender) => Array.from({ length: each }, () => open(to, sender)));
    let served = 0;
    while (slow.some(({ isGone }) => !isGone())) {
      const { status } = await callRest(server.url, 'POST /v2/categories', {
        key: api.token,
        body: { name: `While ${served}`, priority: 1, visible: true },
      });
      expect(status).toBe(201);
      served += 1;
    }
    await Promise.all(slow.map(({ gone }) => gone));
    const waited = slow.map(({ tookMs }) => tookMs()).sort((a, b) => a - b);
    reportFault('slow senders', {
      trials: slow.length,
      real: slow.filter(({ wasOpen }) => wasOpen()).length,
      'served meanwhile': served,
      'gone after (ms, median)': Math.round(waited[Math.floor(waited.length / 2)] ?? 0),
      'gone after (ms, last)': Math.round(waited.at(-1) ?? 0),
    });
    expect(served).toBeGreaterThan(10);
    for (const { sender, wasOpen, received } of slow) {
      expect({ about: sender.about, wasOpen: wasOpen() }).toEqual({ about: sender.about, wasOpen: true });
      if (sender.status !== undefined) expect(received(), sender.about).toMatch(sender.status);
      expect(received().match(/HTTP\/1.1 408 .*\r\n/g)?.length ?? 0, sender.about).toBeLessThanOrEqual(1);
    }
    // What else is seen is the load on this machine.
    expect(waited.at(-1)).toBeLessThan(60_000);
    await server.drain(1_000);
  }, 120_000);
});

describe('too many connections', () => {
  test('do not keep out who comes: those that rest are closed, those beyond the bound are refused', async () => {
    const server = await startServer(
      api.app,
      { host: '127.0.0.1', port: 0 },
      { ...defaultBounds, connections: 40 },
    );
    const resting = { about: 'rests after an answer', first: 'GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n' };
    const idle: Slow[] = [];
    for (let count = 0; count < 60; count++) {
      const one = open({ url: server.url, key: api.token }, resting);
      idle.push(one);
      await one.answered;
    }
    expect(idle.filter(({ received }) => received().startsWith('HTTP/1.1 404')).length).toBe(60);
    expect(idle.filter(({ isGone }) => isGone()).length).toBeGreaterThan(0);
    const busy = Array.from({ length: 60 }, () =>
      open({ url: server.url, key: api.token }, { about: 'begins', first: 'GET /v2/pro' }),
    );
    await Promise.all(busy.slice(45).map(({ gone }) => gone));
    expect(busy.slice(45).every(({ received }) => received() === '')).toBe(true);
    for (const { socket } of [...idle, ...busy]) socket.destroy();
    await Promise.all([...idle, ...busy].map(({ gone }) => gone));
    const answer = await fetch(`${server.url}/healthz`);
    expect(answer.status).toBe(200);
    await server.drain(1_000);
  });
});

interface Slow {
  sender: SlowSender;
  socket: Socket;
  /** Settles when the server has closed the connection. */
  gone: Promise<void>;
  /** Settles with the first bytes of an answer, or with the end. */
  answered: Promise<void>;
  isGone(): boolean;
  /** It was connected and had not been refused at once. */
  wasOpen(): boolean;
  tookMs(): number;
  received(): string;
}

function open(to: { url: string; key: string }, sender: SlowSender): Slow {
  const { hostname, port } = new URL(to.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const started = performance.now();
  const text = (bytes: string) => bytes.replace('$KEY', to.key);
  let received = '';
  let connected = false;
  let endedAt: number | undefined;
  let dripping: NodeJS.Timeout | undefined;
  socket.on('connect', () => {
    connected = true;
    if (sender.first !== '') socket.write(text(sender.first));
    dripping = setInterval(() => {
      if (sender.drip !== undefined && socket.writable) socket.write(sender.drip);
    }, 500);
  });
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      resolve();
    });
    socket.once('close', () => resolve());
  });
  // This caller notices only by a reset that the server let go; it never closes by itself while it drips.
  socket.on('error', () => {});
  const gone = new Promise<void>((resolve) => {
    const over = () => {
      endedAt ??= performance.now();
      clearInterval(dripping);
      socket.destroy();
      resolve();
    };
    socket.on('close', over);
    socket.on('end', () => {
      // Half closed: the server may still hold its side.
      if (sender.drip === undefined) over();
    });
  });
  return {
    sender,
    socket,
    gone,
    answered,
    isGone: () => endedAt !== undefined,
    wasOpen: () => connected,
    tookMs: () => (endedAt ?? performance.now()) - started,
    received: () => received,
  };
}
