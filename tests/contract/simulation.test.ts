import { newId } from '@comanda/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { keylessOf } from '../../packages/api/src/call/keyless.ts';
import { faults } from '../../packages/api/src/call/simulation.ts';
import { subscriptionsOf } from '../../packages/api/src/call/subscription.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { openStream } from '../support/sse.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi(() => ({ app: 'on' }));
let sandbox: string;
beforeAll(async () => {
  const locationId = await api.make.location({ sandbox: true });
  sandbox = (await api.make.key({ locationId, perMinute: 100_000 })).key;
});

const streams = subscriptionsOf(appRouter);
const input = encodeURIComponent('{}');
const trpc = (name: string, kind: string) =>
  kind === 'mutation' ? `POST /trpc/${name}` : `GET /trpc/${name}?input=${input}`;

/** Every way to call every operation, and to open every stream. A simulated fault comes before the input is looked at. */
const calls = [
  ...operations.flatMap(({ name, kind, routes }) => [
    ...routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, newId())}`),
    trpc(name, kind),
  ]),
  ...streams.flatMap(({ name, meta }) => [meta.rest, trpc(name, 'subscription')]),
];

async function call(route: string, key: string, simulate: string) {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(api.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-comanda-simulate': simulate,
      'idempotency-key': newId(),
      'content-type': 'application/json',
    },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
  });
  return { response, text: await response.text() };
}

/** tRPC has answered 200 when it begins a stream: what it refuses is the one event of it. */
const statusIn = (route: string, { response, text }: Awaited<ReturnType<typeof call>>) =>
  /^GET \/trpc\/events\.watch/.test(route) ? Number(/"httpStatus":(\d+)/.exec(text)?.[1]) : response.status;

describe('the header of a simulated fault is never ignored', () => {
  test.each(calls)('%s plays it for a sandbox, and says so', async (route) => {
    for (const [fault, status] of [
      ['unavailable', 503],
      ['rate_limited', 429],
    ] as const) {
      const answer = await call(route, sandbox, fault);
      expect([statusIn(route, answer), answer.response.headers.get('x-comanda-simulated')]).toEqual([
        status,
        fault,
      ]);
    }
  });

  test.each(calls)('%s refuses it for the key of a live location', async (route) => {
    const answer = await call(route, api.key.key, 'unavailable');
    expect(statusIn(route, answer)).toBe(422);
    expect(answer.response.headers.get('x-error-reason') ?? answer.text).toContain('simulation_refused');
    expect(answer.response.headers.has('x-comanda-simulated')).toBe(false);
  });

  test.each(keylessOf(appRouter).map(({ name }) => name))(
    '%s, which has no key, refuses it',
    async (name) => {
      const { response, text } = await call(trpc(name, 'mutation'), '', 'unavailable');
      expect([response.status, text]).toEqual([422, expect.stringContaining('simulation_refused')]);
    },
  );
});

describe('of a stream', () => {
  const paths = streams.flatMap(({ name, meta }) => [
    meta.rest.slice('GET '.length),
    `/trpc/${name}?input=${input}`,
  ]);
  const opened = async (path: string, simulate: string) => {
    const began = performance.now();
    const stream = await openStream(api.url, sandbox, path, { 'x-comanda-simulate': simulate });
    return { stream, tookMs: performance.now() - began };
  };

  test.each(paths)('%s is slow to open, and then a stream as any', async (path) => {
    const { stream, tookMs } = await opened(path, 'slow; seconds=1');
    expect(tookMs).toBeGreaterThan(990);
    expect([stream.status, stream.headers.get('x-comanda-simulated')]).toEqual([200, 'slow']);
    await waitFor('its first words', () => stream.text() !== '');
    stream.close();
  });

  test.each(paths)('%s is cut after it has begun, without a last event', async (path) => {
    const { stream } = await opened(path, 'stream_cut; seconds=1');
    expect([stream.status, stream.headers.get('x-comanda-simulated')]).toEqual([200, 'stream_cut']);
    expect(await stream.ended).toBe(false);
    expect(stream.text()).not.toContain('error');
    await waitFor('its seat', () => api.app.live.count() === 0);
  });

  test.each(
    Object.keys(faults).filter((name) => ['timeout_after_write', 'stock_gone', 'item_fails'].includes(name)),
  )('a fault that it cannot meet is refused: %s', async (fault) => {
    for (const { meta } of streams) expect((await call(meta.rest, sandbox, fault)).response.status).toBe(422);
  });

  test('only a stream is cut', async () => {
    const { text } = await call('GET /v2/orders', sandbox, 'stream_cut');
    expect(text).toContain('stream_cut cannot happen to this operation');
  });
});
