import { createApp, startServer } from '@comanda/api';
import {
  type ClientOptions,
  comandaError,
  createClient,
  noAnswer,
  type PublishedEvent,
  type WatchInput,
  type WatchOptions,
  type WatchState,
} from '@comanda/client';
import { statement } from '@comanda/db';
import { afterEach, describe, expect, it } from 'vitest';
import { answer, type Between, standBetween } from '../client/between.ts';
import { usePublishingApi } from '../support/published.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { type DatabaseProxy, startProxy } from '../worker/proxy.ts';

const api = usePublishingApi();
const wire: DatabaseProxy = useClosed(() => startProxy(api.url));
const between: Between = useClosed(() => standBetween(api.url));
const html = { 'content-type': 'text/html' };
const watches: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  wire.mend();
  await Promise.all(watches.splice(0).map((each) => each.end()));
});

/** A watch that keeps what it is given. */
function watch(
  { after, types, ...options }: WatchInput & WatchOptions = {},
  client: Partial<ClientOptions> = {},
) {
  const comanda = createClient({ url: wire.url, key: api.key.key, ...client });
  const ending = new AbortController();
  const seen: PublishedEvent[] = [];
  const states: WatchState[] = [];
  const onState = (state: WatchState) => states.push(state);
  const read = async () => {
    const events = comanda.events.watch({ after, types }, { signal: ending.signal, onState, ...options });
    for await (const event of events) seen.push(event);
  };
  const done = read();
  const ended = done.then(
    () => undefined,
    (error: Error) => error,
  );
  const watching = {
    seen,
    states,
    ids: () => seen.map(({ id }) => id),
    statuses: () => states.map((state) => (state.status === 'waiting' ? state.reason : state.status)),
    live: (times = 1) =>
      waitFor('it to be live', () => states.filter(({ status }) => status === 'live').length >= times),
    /** Settles with what it threw. */
    ended,
    end: () => {
      ending.abort();
      return ended;
    },
  };
  watches.push(watching);
  return watching;
}

let made = 0;
const change = async (count = 1) => {
  for (let n = 0; n < count; n += 1) {
    made += 1;
    await api.client().products.create.mutate({ name: `Product ${made}`, description: '', price: made });
  }
};
const newest = async () => {
  await api.published();
  const { pagination } = await api.client().events.list.query({ after: 'latest' });
  return pagination.next ?? '';
};
const idsAfter = async (after: string) => {
  await api.published();
  const { data } = await api.client().events.list.query({ after, limit: 200 });
  return data.map(({ id }) => id);
};
const breakOff = () => {
  wire.cut();
  wire.mend();
};

describe('a watch', () => {
  it('gives all later events, and reports when it is live, and behind which event', async () => {
    await change();
    const before = await newest();
    const watching = watch();
    await watching.live();
    expect(watching.states).toEqual([{ status: 'connecting' }, { status: 'live', cursor: before }]);
    await change(3);
    const wanted = await idsAfter(before);
    await waitFor('them', () => watching.seen.length >= wanted.length);
    expect(watching.ids()).toEqual(wanted);
    const priced = ({ type, data }: PublishedEvent) => type === 'product.created' && data.price === made;
    expect(watching.seen.some(priced)).toBe(true);
  });

  it('begins behind a cursor, and gives the types alone that were asked for', async () => {
    const before = await newest();
    await change(2);
    await api.published();
    const watching = watch({ after: before, types: ['product.created', 'webhook.test'] });
    await waitFor('both', () => watching.seen.length >= 2);
    expect(watching.seen.map(({ type }) => type)).toEqual(['product.created', 'product.created']);
  });

  it('has no gap and no double however often the connection breaks', async () => {
    const before = await newest();
    const watching = watch();
    await watching.live();
    for (let breaks = 1; breaks <= 3; breaks += 1) {
      await Promise.all([change(4), breakOff()]);
      await watching.live(breaks + 1);
    }
    const wanted = await idsAfter(before);
    await waitFor('all', () => watching.seen.length >= wanted.length);
    expect(watching.ids()).toEqual(wanted);
    expect(watching.statuses()).toContain('unreachable');
  });

  it('misses nothing when it is cut before its first event', async () => {
    const before = await newest();
    const watching = watch();
    await watching.live();
    wire.cut();
    await waitFor('the loss', () => watching.statuses().includes('unreachable'));
    await change();
    const wanted = await idsAfter(before);
    wire.mend();
    await waitFor('what came meanwhile', () => watching.seen.length >= wanted.length);
    expect(watching.ids()).toEqual(wanted);
  });

  it('takes a connection for lost on which nothing comes, and goes on by another', async () => {
    const before = await newest();
    const watching = watch({ silentMs: 1_500 });
    await watching.live();
    wire.strand();
    await change();
    const wanted = await idsAfter(before);
    await waitFor('what came meanwhile', () => watching.seen.length >= wanted.length);
    expect(new Set(watching.statuses())).toEqual(new Set(['connecting', 'live', 'silent']));
    expect(watching.ids()).toEqual(wanted);
  });

  it('reads at the pace of its loop, and misses nothing for it', async () => {
    const before = await newest();
    const comanda = createClient({ url: wire.url, key: api.key.key });
    const events = comanda.events.watch({ after: before }, { silentMs: 300 });
    await change(3);
    const wanted = await idsAfter(before);
    const seen: string[] = [];
    for await (const { id } of events) {
      seen.push(id);
      if (seen.length === 1) await new Promise((resolve) => setTimeout(resolve, 600));
      if (seen.length === wanted.length) break;
    }
    expect(seen).toEqual(wanted);
  });

  it('goes on at another process when its own stops', async () => {
    const startOther = async () => {
      const app = await createApp({
        databaseUrl: api.databaseUrl,
        encryptionKey: 'k'.repeat(32),
        idempotencyTtlHours: 1,
        webhookTargets: 'any',
        webhookAllowCidrs: [],
        logLevel: 'silent',
      });
      return { app, server: await startServer(app, { host: '127.0.0.1', port: 0 }) };
    };
    const [first, second] = await Promise.all([startOther(), startOther()]);
    let serving = first.server.url;
    const balanced: typeof fetch = (input, init) =>
      fetch(String(input).replace('http://balancer', serving), init);
    const before = await newest();
    const watching = watch({}, { url: 'http://balancer', fetch: balanced });
    await watching.live();
    await change();
    serving = second.server.url;
    await Promise.all([first.server.drain(), change(5)]);
    await first.app.close();
    await watching.live(2);
    await change();
    const wanted = await idsAfter(before);
    await waitFor('all', () => watching.seen.length >= wanted.length);
    expect(watching.ids()).toEqual(wanted);
    expect(watching.statuses()).toContain('ended');
    expect(second.app.live.count()).toBe(1);
    await watching.end();
    await waitFor('its seat', () => second.app.live.count() === 0);
    await second.server.drain().then(() => second.app.close());
  });

  it('ends at its signal, live or not, and gives its seat back', async () => {
    const before = api.app.live.count();
    const live = watch();
    await live.live();
    wire.cut();
    const waiting = watch();
    await waitFor('both to wait', () =>
      [live, waiting].every(({ states }) => states.at(-1)?.status === 'waiting'),
    );
    wire.mend();
    expect(await waiting.end()).toBeUndefined();
    await live.live(2);
    expect(await live.end()).toBeUndefined();
    await waitFor('the seat', () => api.app.live.count() === before);
    const never = watch({ signal: AbortSignal.abort() });
    expect([await never.ended, never.states]).toEqual([undefined, []]);
  });

  it('gives its seat back when the loop is left', async () => {
    const before = api.app.live.count();
    const cursor = await newest();
    await change();
    for await (const _ of createClient({ url: api.url, key: api.key.key }).events.watch({ after: cursor }))
      break;
    await waitFor('the seat', () => api.app.live.count() === before);
  });
});

describe('what no repeat helps ends a watch:', () => {
  it('a key that is revoked, with the refusal that a call gets, and the line of the call', async () => {
    const key = await api.make.key();
    const watching = watch({}, { key: key.key });
    await watching.live();
    await api.app.database.run(
      statement('revoke_for_watch', 'update api_keys set revoked_at = now() where id = $1'),
      [key.id],
    );
    const error = await watching.ended;
    expect(comandaError(error)).toMatchObject({
      code: 'unauthorized',
      reason: 'key_not_valid',
      httpStatus: 401,
      fields: [],
      message: 'The API key is missing or not valid. Send it as the header Authorization: Bearer <key>.',
    });
    expect(error?.stack).toContain('watch.test.ts');
  });

  it('a key that may not read events', async () => {
    const key = await api.make.key({ permissions: ['orders:read'] });
    const watching = watch({}, { key: key.key });
    expect(comandaError(await watching.ended)).toMatchObject({
      httpStatus: 403,
      reason: 'permission_missing',
    });
  });

  it('a cursor that is no longer kept', async () => {
    const watching = watch({ after: '01935a3e-7d90-7c3b-a5e6-f70819203142' });
    expect(comandaError(await watching.ended)).toMatchObject({ httpStatus: 422, reason: 'unknown_cursor' });
  });

  it('an address that is not that of the service', async () => {
    between.fates.push(answer(404, html, '<h1>Nothing here</h1>'));
    const watching = watch({}, { url: between.url });
    expect(noAnswer(await watching.ended)).toBe('strange');
  });
});

describe('a watch waits', () => {
  const refusal = (reason: string) => ({
    'content-type': 'application/json',
    'retry-after': '1',
    'x-error-reason': reason,
  });
  const body = (code: string) => JSON.stringify({ error: { code, message: 'Not now.', request_id: 'r' } });

  it.each([
    ['busy', answer(429, refusal('too_many_streams'), body('rate_limited'))],
    ['unavailable', answer(503, refusal('temporarily_unavailable'), body('internal_error'))],
    ['unavailable', answer(503, { ...html, 'retry-after': '1' }, '<h1>away</h1>')],
    ['unavailable', answer(503, { ...refusal(''), 'x-error-reason': 'away' }, '{"error":"away"}')],
  ])('as long as Retry-After says when it is %s', async (reason, fate) => {
    between.came.length = 0;
    between.fates.push(fate);
    const began = performance.now();
    const watching = watch({}, { url: between.url });
    await waitFor('the second request', () => between.came.length >= 2);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
    expect(watching.states[1]).toEqual({ status: 'waiting', reason, retryInMs: expect.any(Number) });
  });

  it('longer from loss to loss, and never with all others at once', async () => {
    between.fates.push(...Array(3).fill(answer(500, refusal('internal'), body('internal_error'))));
    const watching = watch({}, { url: between.url });
    await waitFor('the losses', () => watching.states.length >= 6);
    const waits = watching.states.flatMap((state) => (state.status === 'waiting' ? state.retryInMs : []));
    for (const [lost, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** lost);
      expect(wait).toBeLessThan(1_000 * 2 ** lost);
    }
  });
});
