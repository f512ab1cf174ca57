import { comandaError, type WatchState } from '@comanda/client';
import type { FrontAccess } from '@comanda/client/front';
import { createNodeFront } from '@comanda/client/front/node';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { thrownBy } from '../support/thrown.ts';
import { waitFor } from '../support/wait.ts';
import { entrances, type Front, listening } from './fronts.ts';

const api = usePublishingApi();
const fronts: Front[] = [];
const watches: AbortController[] = [];
afterEach(async () => {
  for (const each of watches.splice(0)) each.abort();
  await Promise.all(fronts.splice(0).map((each) => each.close()));
  await waitFor('no stream to be open', () => api.app.live.count() === 0);
});

const change = async () => {
  const id = await api.make.product();
  await api.client().products.update.mutate({ id, description: 'changed' });
};
const settings = () => ({ url: api.url, key: api.key.key, checkEveryMs: 50 });

/** Follows the stream as a screen does. */
function watch(front: Front, types?: FrontAccess['events'], cookie = 'session=ana') {
  const ending = new AbortController();
  watches.push(ending);
  const seen: string[] = [];
  const states: WatchState[] = [];
  const onState = (state: WatchState) => states.push(state);
  const read = async () => {
    const input = types === undefined ? {} : { types: [...types] };
    const { signal } = ending;
    for await (const { type } of front.client(cookie).events.watch(input, { signal, onState }))
      seen.push(type);
  };
  const ended = thrownBy(read()).then(comandaError);
  const isLive = (times = 1) =>
    waitFor('it to be live', () => states.filter(({ status }) => status === 'live').length >= times);
  return { seen, states, ended, isLive, leave: () => ending.abort() };
}

describe.each(Object.entries(entrances))('behind the entrance %s', (_, start) => {
  const begin = async (allow: Parameters<typeof start>[0]['allow'], more: object = {}) => {
    const front = await start({ ...settings(), allow, onFault: () => {}, ...more });
    fronts.push(front);
    return front;
  };

  it('brings the types that are allowed, of those that are asked for', async () => {
    const front = await begin({ procedures: [], events: ['product.created', 'product.updated'] });
    const [all, one] = [watch(front), watch(front, ['product.updated', 'order.created'])];
    await Promise.all([all.isLive(), one.isLive()]);
    await change();
    await waitFor('the events', () => all.seen.length >= 2 && one.seen.length >= 1);
    expect([all.seen, one.seen]).toEqual([['product.created', 'product.updated'], ['product.updated']]);
    expect(await watch(front, ['order.created']).ended).toMatchObject({
      code: 'permission_denied',
      reason: 'front_not_allowed',
      httpStatus: 403,
    });
  });

  it('refuses who is not signed in, and who may follow nothing', async () => {
    const front = await begin((cookie) => (cookie === 'session=ana' ? { procedures: [] } : undefined));
    expect(await watch(front, undefined, 'session=bo').ended).toMatchObject({
      code: 'unauthorized',
      reason: 'front_signed_out',
      httpStatus: 401,
    });
    expect(await watch(front).ended).toMatchObject({ reason: 'front_not_allowed' });
  });

  it('ends with the session, which is looked at again and again', async () => {
    let isSignedIn = true;
    const front = await begin(() =>
      isSignedIn ? { procedures: [], events: ['product.created'] } : undefined,
    );
    const { isLive, ended } = watch(front);
    await isLive();
    isSignedIn = false;
    expect(await ended).toMatchObject({ code: 'unauthorized', reason: 'front_signed_out' });
  });

  it('ends at once with the signal of the session', async () => {
    const session = new AbortController();
    const access: FrontAccess = { procedures: [], events: ['product.created'], signal: session.signal };
    const front = await begin(access, { checkEveryMs: 3_600_000 });
    const { isLive, ended } = watch(front);
    await isLive();
    session.abort();
    expect(await ended).toMatchObject({ reason: 'front_signed_out' });
  });

  it('goes on with what the session may follow meanwhile', async () => {
    let events: FrontAccess['events'] = ['product.created'];
    const front = await begin(() => ({ procedures: [], events }));
    const { isLive, seen } = watch(front);
    await isLive();
    events = ['product.updated'];
    await isLive(2);
    await change();
    await waitFor('the event', () => seen.length > 0);
    expect(seen).toEqual(['product.updated']);
  });

  it('comes again when the session cannot be looked up', async () => {
    let isAway = false;
    const front = await begin(() => {
      if (isAway) throw new Error('the sessions are away');
      return { procedures: [], events: ['product.created'] };
    });
    const { isLive, states } = watch(front);
    await isLive();
    isAway = true;
    await waitFor('a refusal', () =>
      states.some((state) => state.status === 'waiting' && state.reason === 'unavailable'),
    );
    isAway = false;
    await isLive(2);
  });

  it('is closed at the service when the browser leaves', async () => {
    const front = await begin({ procedures: [], events: ['product.created'] });
    const { isLive, leave } = watch(front);
    await isLive();
    expect(api.app.live.count()).toBe(1);
    leave();
    await waitFor('it to be closed', () => api.app.live.count() === 0);
  });

  it('is ended between two events, however its bytes are cut', async () => {
    let isSignedIn = true;
    const pieces = [
      'retry: 10\nid: a\n\nid: b\nevent: product.created\nda',
      'ta: {"id":"b"}\n',
      '\nid: c\ndata: {"id',
    ];
    const stream = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        },
      });
    const front = await begin(
      () => (isSignedIn ? { procedures: [], events: ['product.created'] } : undefined),
      {
        fetch: async () => new Response(stream(), { headers: { 'content-type': 'text/event-stream' } }),
      },
    );
    const answer = await front.ask(`${front.url}/v2/events/stream`);
    isSignedIn = false;
    const text = await answer.text();
    expect(text).toMatch(
      /^retry: 10\nid: a\n\nid: b\nevent: product.created\ndata: {"id":"b"}\n\nevent: error\ndata: {.*}\n\n$/,
    );
  });
});

describe('behind a server of Node, the stream', () => {
  const access: FrontAccess = { procedures: [], events: ['product.created'] };

  it('is not held back by what compresses', async () => {
    const front = await listening(createNodeFront({ ...settings(), path: '/comanda', allow: access }));
    fronts.push(front);
    const gone = new AbortController();
    const answer = await fetch(`${front.url}/v2/events/stream`, { signal: gone.signal });
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    gone.abort();
  });

  it('waits for a browser that reads slowly, and holds no more than a few pieces for it', async () => {
    let pulled = 0;
    const block = new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}\n\n`);
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1;
          controller.enqueue(block);
        },
      });
    const front = await listening(
      createNodeFront({
        ...settings(),
        path: '/comanda',
        allow: access,
        fetch: async () => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }),
      }),
    );
    fronts.push(front);
    const gone = new AbortController();
    const answer = await fetch(`${front.url}/v2/events/stream`, { signal: gone.signal });
    const before = () => pulled;
    let last = -1;
    await waitFor('it to wait', async () => {
      const is = before();
      const isStill = is === last;
      last = is;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return isStill;
    });
    expect(pulled).toBeLessThan(200);
    const reader = answer.body?.getReader();
    for (let bytes = 0; bytes < 250 * block.length; ) bytes += (await reader?.read())?.value?.length ?? 0;
    expect(pulled).toBeGreaterThan(last);
    gone.abort();
  });
});

it('what is not below its path is for the next handler of Express', async () => {
  const app = express().use(createNodeFront({ ...settings(), path: '/comanda', allow: { procedures: [] } }));
  app.get('/comandante', (_request, response) => void response.send('mine'));
  const front = await listening(app);
  fronts.push(front);
  expect(await (await fetch(front.url.replace(/comanda$/, 'comandante'))).text()).toBe('mine');
});
