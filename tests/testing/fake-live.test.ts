import { comandaError, followEvents, noAnswer, type WatchState } from '@comanda/client';
import { watchShared } from '@comanda/client/shared';
import { fakeClient, type ProcedureOutput } from '@comanda/testing';
import { expect, it } from 'vitest';
import { waitFor } from '../support/wait.ts';

const moved = {
  type: 'order.status_changed',
  data: { id: 'o-1', previous_status: 'pending', status: 'ready' },
} as const;
const product = { type: 'product.deleted', data: { id: 'p-1' } } as const;

/** Watches until the signal ends it, and keeps what comes. */
function watching(
  fake: ReturnType<typeof fakeClient>,
  input: Parameters<typeof fake.client.events.watch>[0] = {},
) {
  const seen: string[] = [];
  const states: WatchState[] = [];
  const ending = new AbortController();
  const options = { signal: ending.signal, onState: (state: WatchState) => void states.push(state) };
  const end = (async () => {
    for await (const { id } of fake.client.events.watch(input, options)) seen.push(id);
  })();
  const live = () => waitFor('the stream to be live', async () => states.at(-1)?.status === 'live');
  return { seen, states, live, end, stop: () => ending.abort() };
}

const read = (what: string[], ids: string[]) =>
  waitFor(`${ids.length} events`, async () => JSON.stringify(what) === JSON.stringify(ids));

it('what is emitted comes whole, in its order, and of the types that were asked for', async () => {
  const fake = fakeClient({});
  const all = watching(fake);
  const some = watching(fake, { types: ['product.deleted'] });
  await Promise.all([all.live(), some.live()]);
  const [first, second] = [fake.emit(moved), fake.emit(product)];
  expect(first).toMatchObject({ ...moved, api_version: 'v2', location_id: second.location_id });
  expect(Date.parse(first.created_at)).not.toBeNaN();
  await read(all.seen, [first.id, second.id]);
  await read(some.seen, [second.id]);
  for (const each of [all, some]) each.stop();
  await Promise.all([all.end, some.end]);
});

it('a cursor goes on behind its event, and one that is unknown is refused in the words of the service', async () => {
  const fake = fakeClient({});
  const [first, second] = [fake.emit(moved), fake.emit(moved)];
  const watch = watching(fake, { after: first.id });
  await read(watch.seen, [second.id]);
  watch.stop();
  await watch.end;
  const refused = await watching(fake, { after: 'gone' }).end.catch(comandaError);
  expect(refused).toMatchObject({
    reason: 'unknown_cursor',
    httpStatus: 422,
    message: 'after: is no event of this location, or one that is no longer kept',
  });
  const unknown = await watching(fake, { types: ['order.gone'] as never }).end.catch(comandaError);
  expect(unknown).toMatchObject({ reason: 'invalid_field', httpStatus: 422 });
});

it('a key without the permission cannot watch', async () => {
  const fake = fakeClient({}, { permissions: ['orders:read'] });
  expect(await watching(fake).end.catch(comandaError)).toMatchObject({ httpStatus: 403 });
});

it('over a lost connection nothing is missed, and the states are reported', async () => {
  const fake = fakeClient({ 'limits.get': () => ({}) as never });
  const watch = watching(fake);
  await watch.live();
  const first = fake.emit(moved);
  await read(watch.seen, [first.id]);
  fake.disconnect();
  await waitFor('the loss to be reported', async () => watch.states.at(-1)?.status === 'waiting');
  expect(watch.states.at(-1)).toMatchObject({ reason: 'unreachable' });
  expect(noAnswer(await fake.client.limits.get.query().catch((error: unknown) => error))).toBe('unreachable');
  const second = fake.emit(moved);
  fake.reconnect();
  await read(watch.seen, [first.id, second.id]);
  expect(watch.states.at(-1)).toMatchObject({ status: 'live' });
  expect(await fake.client.limits.get.query()).toEqual({});
  watch.stop();
  await watch.end;
});

it('a call under way when the connection is lost gets no answer', async () => {
  const fake = fakeClient({ 'orders.get': () => new Promise<never>(() => {}) });
  const call = fake.client.orders.get.query({ id: 'o-1' }).catch(noAnswer);
  await waitFor('the call', async () => fake.calls.length === 1);
  fake.disconnect();
  expect(await call).toBe('unreachable');
});

it('the feed has what was emitted, and is followed', async () => {
  const fake = fakeClient({});
  const emitted = [fake.emit(moved), fake.emit(product), fake.emit(moved)];
  const list = fake.client.events.list;
  expect((await list.query()).data).toEqual(emitted);
  expect((await list.query({ types: ['product.deleted'] })).data).toEqual([emitted[1]]);
  const behind = await list.query({ after: emitted[0]?.id, limit: 1 });
  expect(behind).toEqual({ data: [emitted[1]], pagination: { limit: 1, offset: 0, total: 2 } });
  expect((await list.query({ after: 'latest' })).pagination.next).toBe(emitted[2]?.id);
  const ending = new AbortController();
  const found = [];
  for await (const { id } of followEvents(fake.client, { signal: ending.signal, everyMs: 1 })) {
    found.push(id);
    if (found.length === 3) ending.abort();
  }
  expect(found).toEqual(emitted.map(({ id }) => id));
});

it('tabs that share a stream are given it', async () => {
  const fake = fakeClient({});
  const ending = new AbortController();
  const found: string[] = [];
  const states: WatchState[] = [];
  const options = { signal: ending.signal, onState: (state: WatchState) => void states.push(state) };
  const loop = (async () => {
    for await (const { id } of watchShared(fake.client, 'kitchen', {}, options)) found.push(id);
  })();
  await waitFor('the stream to be live', async () => states.at(-1)?.status === 'live');
  const { id } = fake.emit(moved);
  await read(found, [id]);
  ending.abort();
  await loop;
});

it('a test may answer the feed itself', async () => {
  const event = { id: 'one', type: 'order.created' } as ProcedureOutput<'events.list'>['data'][number];
  const ending = new AbortController();
  const cursors: string[] = [];
  const { client } = fakeClient({
    'events.list': () => {
      ending.abort();
      return { data: [event], pagination: { limit: 200, next: 'one' } } as ProcedureOutput<'events.list'>;
    },
  });
  const onCursor = (cursor: string) => void cursors.push(cursor);
  const found = [];
  for await (const { id } of followEvents(client, { signal: ending.signal, onCursor })) found.push(id);
  expect([found, cursors]).toEqual([[], []]);
});
