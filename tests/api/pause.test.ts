import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { Location } from '../../packages/api/src/resources/locations/schema.ts';
import { OrderQuote } from '../../packages/api/src/resources/orders/quote.schema.ts';
import { useHandOrders } from '../db/hand-orders-kit.ts';
import { dataOf } from '../support/answers.ts';
import type { Answer } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { auditOf } from '../support/money.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { eventsOf } from './events-of.ts';
import { refusalOf, refusalThrown } from './refusals.ts';

// A paused location refuses the creation of orders, and nothing else.

const api = useSteppedApi();
const kitchen = useOrderKitchen(api);
const hand = useHand(api, { role: 'admin' });
const { insertWhole } = useHandOrders(api, hand, kitchen);

const pause = (body: object = {}) => api.rest('POST /v2/locations/current/pause', { body });
const resume = () => api.rest('POST /v2/locations/current/resume', { body: {} });
const read = async (headers = {}) => api.rest('GET /v2/locations/current', { headers });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
const reasonOf = ({ status, headers }: Answer) => [status, headers.get('x-error-reason')];
const paused = [409, 'location_paused'];

afterEach(async () => {
  await resume();
});

describe('a pause', () => {
  it('shows with its end and reason, is set anew by another one, and ends twice', async () => {
    expect(dataOf(await read(), 200, Location)).toMatchObject({ paused: false });
    const until = inSeconds(600);
    const first = dataOf(await pause({ until, reason: 'No gas' }), 200, Location);
    expect(first).toMatchObject({ paused: true, pause_reason: 'No gas' });
    expect(Date.parse(first.paused_until ?? '')).toBe(Date.parse(until));
    expect(dataOf(await read(), 200, Location)).toEqual(first);
    const { paused_until, pause_reason, ...second } = dataOf(await pause(), 200, Location);
    expect([second.paused, paused_until, pause_reason]).toEqual([true, undefined, undefined]);
    for (const answer of [await resume(), await resume(), await read()])
      expect(dataOf(answer, 200, Location)).toEqual({ ...second, paused: false });
    const entries = (await auditOf(api.app.database, api.locationId)).map(({ operation }) => operation);
    expect(entries.slice(-3)).toEqual(['locations.pause', 'locations.pause', 'locations.resume']);
  });

  it('ends at a moment in the future', async () => {
    for (const until of [inSeconds(-1), 'tomorrow']) {
      const answer = await pause({ until });
      expect([...reasonOf(answer), answer.headers.get('x-error-fields')]).toEqual([
        422,
        'invalid_field',
        'until',
      ]);
    }
    expect(dataOf(await read(), 200, Location).paused).toBe(false);
  });

  it('needs its permission, which includes no other', async () => {
    const { key } = await api.make.key({ permissions: ['orders:write', 'locations:*'] });
    for (const deed of ['pause', 'resume']) {
      const answer = await api.rest(`POST /v2/locations/current/${deed}`, { key, body: {} });
      expect(reasonOf(answer)).toEqual([403, 'permission_missing']);
    }
  });

  it('that has ended is none, under another tag', async () => {
    const before = (await read()).headers.get('etag') ?? '';
    await pause({ until: inSeconds(1.2) });
    const during = (await read()).headers.get('etag') ?? '';
    expect(reasonOf(await kitchen.post())).toEqual(paused);
    await expect
      .poll(async () => (await read({ 'if-none-match': during })).status, { timeout: 5_000 })
      .toBe(200);
    const after = await read();
    expect(dataOf(after, 200, Location)).toMatchObject({ paused: false });
    expect(dataOf(after, 200, Location)).not.toHaveProperty('paused_until');
    const tag = after.headers.get('etag') ?? '';
    expect(new Set([before, during, tag]).size).toBe(3);
    await kitchen.place();
    const { locations } = api.client();
    const { name } = await locations.getCurrent.query();
    await locations.update.mutate({ id: api.locationId, name, expected: tag });
  });
});

describe('creation of orders', () => {
  it('is refused on every family and the typed client, with Retry-After where the pause has an end', async () => {
    await pause({ until: inSeconds(90) });
    for (const path of ['/v1/orders', '/v2/orders']) {
      const answer = await kitchen.post({}, { path });
      expect(reasonOf(answer)).toEqual(paused);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(80);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(90);
    }
    // For more seconds than an integer of PostgreSQL holds.
    await pause({ until: '9999-12-30T00:00:00Z' });
    expect((await kitchen.post()).headers.get('retry-after')).toBe('2147483647');
    await pause();
    expect((await kitchen.post()).headers.has('retry-after')).toBe(false);
    const typed = kitchen.body({ idempotencyKey: randomUUID() });
    const refusal = refusalThrown(await refusalOf(api.client().orders.create.mutate(typed as never)));
    expect(refusal).toMatchObject({ status: 409, reason: 'location_paused' });
  });

  it('replays a known key, and leaves the key of a refused order unused', async () => {
    const [body, idempotencyKey] = [kitchen.body(), randomUUID()];
    const made = await kitchen.post(body, { idempotencyKey });
    const later = randomUUID();
    const refused = kitchen.body();
    await pause();
    const again = await kitchen.post(body, { idempotencyKey });
    expect([again.status, again.text]).toEqual([201, made.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(reasonOf(await kitchen.post({ note: 'x' }, { idempotencyKey }))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
    expect(reasonOf(await kitchen.post(refused, { idempotencyKey: later }))).toEqual(paused);
    await resume();
    expect((await kitchen.post(refused, { idempotencyKey: later })).status).toBe(201);
  });

  it('names a taken external_id first, and what the order lacks after the pause; a quote names all', async () => {
    const { external_id } = await kitchen.place();
    const items = [{ product_id: randomUUID(), quantity: 1 }];
    await pause();
    expect(reasonOf(await kitchen.post({ external_id }))).toEqual([409, 'external_id_taken']);
    expect(reasonOf(await kitchen.post({ items }))).toEqual(paused);
    const reasonsOf = async (overrides: object) => {
      const body = kitchen.body({ ...overrides });
      const { refusals } = dataOf(await api.rest('POST /v2/orders/quote', { body }), 200, OrderQuote);
      return refusals.map(({ reason }) => reason);
    };
    expect(await reasonsOf({ external_id, items })).toEqual([
      'external_id_taken',
      'location_paused',
      'unknown_product',
    ]);
    expect(await reasonsOf({ while_paused: true })).toEqual([]);
  });

  it('passes for a key that may pause and says so, also in one batch with others', async () => {
    await pause();
    const { key } = await api.make.key({ permissions: ['orders:write'] });
    expect(reasonOf(await kitchen.post({ while_paused: true }, { key }))).toEqual(paused);
    expect(reasonOf(await kitchen.post({ while_paused: false }))).toEqual(paused);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) => kitchen.post(at % 2 === 0 ? { while_paused: true } : {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 2 === 0 ? 201 : 409)));
    await resume();
    expect((await kitchen.post({ while_paused: true }, { key })).status).toBe(201);
  });

  it('by hand passes, and orders that exist go on', async () => {
    const order = await kitchen.place();
    await pause();
    const id = await insertWhole({}, {});
    expect((await api.rest(`GET /v2/orders/${id}`)).status).toBe(200);
    const moved = await api.rest(`PATCH /v2/orders/${order.id}/status`, { body: { status: 'ready' } });
    expect(moved.status).toBe(200);
  });
});

describe('location.updated', () => {
  it('comes of a pause and its end, by any writer, and of nothing else', async () => {
    const events = await eventsOf(api, async () => {
      await pause({ until: inSeconds(600), reason: 'No gas' });
      await pause({ reason: 'No gas' });
      await pause({ reason: 'No gas' });
      await api.published();
      await hand.sql`update locations set paused = false where id = ${api.locationId}`;
      await api.published();
      await resume();
      await hand.sql`update locations set name = name where id = ${api.locationId}`;
    });
    expect(events.map(({ type }) => type)).toEqual(Array(4).fill('location.updated'));
    const shown = events.map(({ data }) => Location.parse(data));
    expect(shown.map(({ paused }) => paused)).toEqual([true, true, false, false]);
    expect(shown.at(-1)).toEqual(dataOf(await read(), 200, Location));
  });
});
