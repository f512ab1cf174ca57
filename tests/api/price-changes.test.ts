import { describe, expect, it } from 'vitest';
import {
  PlannedPriceChange,
  PriceChangePage,
} from '../../packages/api/src/resources/price-changes/schema.ts';
import { dataOf } from '../support/answers.ts';
import type { Answer } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { useNewPlace } from '../support/place.ts';
import {
  comeDue,
  farAway,
  outcomesOf,
  plannedPrices,
  planPrices,
  readPriceChange,
} from '../support/price-changes.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';
import { eventsOf } from './events-of.ts';

// Prices that change at a planned moment.

const api = useSteppedApi();
const place = useNewPlace(api);
const hand = useHand(api, { role: 'admin' });

const priceOf = async (id: string) => (await place.client().products.get.query({ id })).price;
const setPrice = (id: string, price: number) => place.client().products.update.mutate({ id, price });
const reasonOf = ({ headers }: Answer) => headers.get('x-error-reason');
const cancel = (id: string) => place.rest(`DELETE /v2/price-changes/${id}`);
const made = (price: number, more: object = {}) => place.make.product({ price, ...more });

/** The price change once its moment has come and a worker has run. */
async function applied({ id }: PlannedPriceChange): Promise<PlannedPriceChange> {
  await comeDue(place);
  await api.worker.turn();
  return readPriceChange(place, id);
}

describe('prices of products', () => {
  it('change at their moment, not before, with an event each and the planner in the history', async () => {
    const [one, other] = [await made(10, { externalId: 'one' }), await made(20, { sku: 'OTHER' })];
    const same = await made(5);
    await api.worker.turn();
    const planned = await plannedPrices(place, {
      prices: [
        { external_id: 'one', price: 11.5 },
        { sku: 'OTHER', price: 19 },
        { product_id: same, price: 5 },
      ],
    });
    expect(planned).toMatchObject({ status: 'planned', total_prices: 3, applied_prices: 0 });
    expect(planned.prices).toEqual([
      { product_id: one, before: 10, price: 11.5, status: 'planned' },
      { product_id: other, before: 20, price: 19, status: 'planned' },
      { product_id: same, before: 5, price: 5, status: 'planned' },
    ]);
    await api.worker.turn();
    expect(await priceOf(one)).toBe(10);
    expect(await readPriceChange(place, planned.id)).toEqual(planned);

    let after = planned;
    const events = await eventsOf({ ...api, client: place.client }, async () => {
      after = await applied(planned);
    });
    expect(after).toMatchObject({ status: 'applied', applied_prices: 3, skipped_prices: 0 });
    expect(after.prices).toEqual(planned.prices.map((price) => ({ ...price, status: 'applied' })));
    expect(after.ended_at).toBeDefined();
    expect([await priceOf(one), await priceOf(other), await priceOf(same)]).toEqual([11.5, 19, 5]);
    const updated = events.filter(({ type }) => type === 'product.updated');
    expect(updated.map(({ data }) => (data as { id: string }).id).sort()).toEqual([one, other].sort());
    const [entry] = (await place.client().audit.list.query({ about: one, limit: 1 })).data;
    expect(entry).toMatchObject({ operation: 'update', api_key_id: place.key.id });
    const plan = (await place.client().audit.list.query({ about: planned.id })).data;
    expect(plan).toMatchObject([{ operation: 'priceChanges.create', request_id: entry?.request_id }]);
  });

  it('of a moment in the past change at once, and a repeated call plans nothing', async () => {
    const id = await made(10);
    const body = { effective_at: '2020-01-01T00:00Z', prices: [{ product_id: id, price: 11 }] };
    const first = dataOf(await planPrices(place, body, 'a-key'), 201, PlannedPriceChange);
    await api.worker.turn();
    expect(await priceOf(id)).toBe(11);
    expect(dataOf(await planPrices(place, body, 'a-key'), 201, PlannedPriceChange)).toEqual(first);
    const { data } = await place.client().priceChanges.list.query({});
    expect(data).toMatchObject([{ id: first.id, status: 'applied' }]);
  });

  it('are skipped where any writer changed the price since, also back again, or the product is gone', async () => {
    const ways: Record<string, (id: string) => Promise<unknown>> = {
      api: (id) => setPrice(id, 12),
      back: async (id) => {
        await setPrice(id, 12);
        await setPrice(id, 10);
      },
      hand: (id) => hand.sql`update products set price = 12 where id = ${id}`,
      handBack: async (id) => {
        await hand.sql`update products set price = 12 where id = ${id}`;
        await hand.sql`update products set price = 10 where id = ${id}`;
      },
      sync: () =>
        place.client().syncJobs.startProducts.mutate({
          idempotencyKey: 'sync',
          mode: 'update',
          items: [{ external_id: 'sync', name: 'Synced', price: 12 }],
        }),
      plan: (id) =>
        plannedPrices(place, {
          effective_at: '2020-01-01T00:00:00Z',
          prices: [{ product_id: id, price: 12 }],
        }),
      deletion: (id) => place.client().products.delete.mutate({ id }),
      // These change no price.
      name: (id) => place.client().products.update.mutate({ id, name: 'Another name', visible: false }),
      same: (id) => setPrice(id, 10),
      handSame: (id) => hand.sql`update products set price = 10, name = 'By hand' where id = ${id}`,
      nothing: async () => undefined,
    };
    const ids: Record<string, string> = {};
    for (const way of Object.keys(ways)) ids[way] = await made(10, { externalId: way });
    const prices = Object.keys(ways).map((way) => ({ external_id: way, price: 15 }));
    const planned = await plannedPrices(place, { prices });
    for (const [way, change] of Object.entries(ways)) await change(ids[way] ?? '');
    // The sync and the other plan are applied before.
    await api.worker.turn();
    const after = await applied(planned);
    const outcomes = outcomesOf(after);
    expect(Object.fromEntries(Object.keys(ways).map((way) => [way, outcomes[ids[way] ?? '']]))).toEqual({
      api: 'price_changed',
      back: 'price_changed',
      hand: 'price_changed',
      handBack: 'price_changed',
      sync: 'price_changed',
      plan: 'price_changed',
      deletion: 'product_deleted',
      name: 'applied',
      same: 'applied',
      handSame: 'applied',
      nothing: 'applied',
    });
    expect(after).toMatchObject({ status: 'applied', applied_prices: 4, skipped_prices: 7 });
    const shown = await place.client().products.list.query({ limit: 200 });
    expect(shown.data.map(({ price }) => price).sort((a, b) => a - b)).toEqual([
      10, 10, 12, 12, 12, 12, 15, 15, 15, 15,
    ]);
  });

  it('are refused where a product is unknown or named twice, and at too many or an unclear moment', async () => {
    const id = await made(10, { externalId: 'here', sku: 'HERE' });
    await place.make.product({ locationId: await api.make.location(), externalId: 'elsewhere' });
    const unknown = await planPrices(place, {
      prices: [
        { external_id: 'elsewhere', price: 1 },
        { product_id: id, price: 1 },
        { product_id: 'no id', price: 1 },
      ],
    });
    expect(reasonOf(unknown)).toBe('unknown_reference');
    expect(unknown.text).toContain('prices[0].external_id: names nothing in products');
    expect(unknown.text).toContain('prices[2].product_id');
    const { key } = await place.make.key({ maxItemsPerBatch: 1 });
    const two = [
      { sku: 'HERE', price: 1 },
      { external_id: 'here', price: 2 },
    ];
    const many = await place.rest('POST /v2/price-changes', {
      key,
      body: { effective_at: farAway, prices: two },
      headers: { 'idempotency-key': 'many' },
    });
    expect(reasonOf(many)).toBe('batch_too_large');
    const one = [{ product_id: id, price: 1 }];
    const category = { category_id: await place.make.category(), percent: 10 };
    for (const [body, message] of [
      [{ prices: two }, 'names the same product as prices[0]'],
      [{ prices: [...one, ...one] }, 'is the same as prices[0].product_id'],
      [
        { prices: [{ product_id: id, sku: 'HERE', price: 1 }] },
        'exactly one of product_id, external_id, sku',
      ],
      [{ prices: [] }, 'must hold at least one price'],
      [{}, 'either prices, or category_id and percent'],
      [{ prices: one, ...category }, 'either prices, or category_id and percent'],
      [{ category_id: category.category_id }, 'either prices, or category_id and percent'],
      [{ category_id: id, percent: 10 }, 'category_id: names nothing in categories'],
      [{ ...category, percent: -100.01 }, 'must be at least -100'],
      [{ prices: one, effective_at: '2027-01-01T00:00:00' }, 'with an offset or Z'],
      [{ prices: one, effective_at: '2027-01-01' }, 'with an offset or Z'],
    ] as const) {
      const answer = await planPrices(place, body);
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(message)]);
    }
    expect((await place.client().priceChanges.list.query({})).pagination.total).toBe(0);
  });
});

describe('prices of a category', () => {
  it('change by a percentage of the price, rounded half away from zero, of the products that are in it then', async () => {
    const category_id = await place.make.category();
    const inside = { categoryIds: [category_id] };
    const [half, free, left] = [await made(1.05, inside), await made(0, inside), await made(7, inside)];
    const [joined, changed] = [await made(0.05), await made(8)];
    const huge = await made(9_999_999_999.99, inside);
    const planned = await plannedPrices(place, { category_id, percent: 10 });
    expect(planned).toMatchObject({ category_id, percent: 10, total_prices: 4 });
    expect(planned.prices.some((price) => 'price' in price)).toBe(false);
    const { products } = place.client();
    await products.update.mutate({ id: left, category_ids: [] });
    await products.update.mutate({ id: joined, category_ids: [category_id] });
    await products.update.mutate({ id: changed, category_ids: [category_id], price: 9 });
    const { id: fresh } = await products.create.mutate({
      name: 'Fresh',
      description: '',
      price: 3,
      category_ids: [category_id],
    });
    const after = await applied(planned);
    expect(outcomesOf(after)).toEqual({
      [half]: 'applied',
      [free]: 'applied',
      [left]: 'not_in_category',
      [joined]: 'applied',
      [changed]: 'price_changed',
      [fresh]: 'price_changed',
      [huge]: 'price_too_large',
    });
    expect(after).toMatchObject({ total_prices: 7, applied_prices: 3, skipped_prices: 4 });
    // 1.155 and 0.055: no double is either.
    expect(await Promise.all([half, free, left, joined, changed, fresh].map(priceOf))).toEqual([
      1.16, 0, 7, 0.06, 9, 3,
    ]);
    const price = after.prices.find(({ product_id }) => product_id === joined);
    expect(price).toEqual({ product_id: joined, before: 0.05, price: 0.06, status: 'applied' });
  });

  it('are all skipped once the category is deleted, and -100 % makes them free', async () => {
    const [gone, stays] = [
      await place.make.category({ name: 'A' }),
      await place.make.category({ name: 'B' }),
    ];
    const [one, other] = [await made(1, { categoryIds: [gone] }), await made(1, { categoryIds: [stays] })];
    const planned = await plannedPrices(place, { category_id: gone, percent: 5 });
    const free = await plannedPrices(place, { category_id: stays, percent: -100 });
    await place.client().categories.delete.mutate({ id: gone });
    const after = await applied(planned);
    expect([after.status, outcomesOf(after)]).toEqual(['skipped', { [one]: 'not_in_category' }]);
    expect((await readPriceChange(place, free.id)).status).toBe('applied');
    expect([await priceOf(one), await priceOf(other)]).toEqual([1, 0]);
  });
});

describe('a planned price change', () => {
  it('is canceled as long as it is planned, and then changes no price', async () => {
    const id = await made(10);
    const planned = await plannedPrices(place, { prices: [{ product_id: id, price: 11 }] });
    const canceled = dataOf(await cancel(planned.id), 200, PlannedPriceChange);
    expect(canceled).toMatchObject({ status: 'canceled', prices: [{ product_id: id, status: 'canceled' }] });
    expect(dataOf(await cancel(planned.id), 200, PlannedPriceChange)).toEqual(canceled);
    expect(await applied(planned)).toEqual(canceled);
    expect(await priceOf(id)).toBe(10);
    const operations = (await place.client().audit.list.query({ about: planned.id })).data;
    expect(operations.map(({ operation }) => operation)).toEqual([
      'priceChanges.cancel',
      'priceChanges.create',
    ]);
  });

  it('is not canceled once it was applied, and is unknown elsewhere', async () => {
    const id = await made(10);
    const planned = await plannedPrices(place, { prices: [{ product_id: id, price: 11 }] });
    await applied(planned);
    expect(reasonOf(await cancel(planned.id))).toBe('price_change_ended');
    const elsewhere = await api.place();
    for (const route of ['GET', 'DELETE'])
      expect((await elsewhere.rest(`${route} /v2/price-changes/${planned.id}`)).status).toBe(404);
  });

  it('is listed newest first, without its prices', async () => {
    const id = await made(10);
    const [first, second] = [
      await plannedPrices(place, { prices: [{ product_id: id, price: 11 }] }),
      await plannedPrices(place, { prices: [{ product_id: id, price: 12 }] }),
    ];
    const { body } = await place.rest('GET /v2/price-changes');
    expect(parseStrict(PriceChangePage, body).data).toEqual(
      [second, first].map(({ prices: _, ...summary }) => summary),
    );
  });

  it('waits while its location is read only, and is applied when that is over', async () => {
    const id = await made(10);
    const planned = await plannedPrices(place, { prices: [{ product_id: id, price: 11 }] });
    const setStatus = (status: string) =>
      api.sql`update locations set status = ${status}::location_status where id = ${place.locationId}`;
    await setStatus('read_only');
    expect((await applied(planned)).status).toBe('planned');
    await setStatus('active');
    await api.sql`update price_changes set effective_at = now() - interval '3 seconds' where id = ${planned.id}`;
    await api.worker.turn();
    expect((await readPriceChange(place, planned.id)).status).toBe('applied');
  });

  // Made with the zone database of Python (zoneinfo): the second before each change of 2027 and the change itself, as clocks show them.
  const moments = [
    ['America/Santiago', '2027-04-03T23:59:59-03:00', '2027-04-04T02:59:59Z'],
    ['America/Santiago', '2027-04-03T23:00:00-04:00', '2027-04-04T03:00:00Z'],
    ['America/Santiago', '2027-09-04T23:59:59-04:00', '2027-09-05T03:59:59Z'],
    ['America/Santiago', '2027-09-05T01:00:00-03:00', '2027-09-05T04:00:00Z'],
    ['Asia/Beirut', '2027-03-27T23:59:59+02:00', '2027-03-27T21:59:59Z'],
    ['Asia/Beirut', '2027-03-28T01:00:00+03:00', '2027-03-27T22:00:00Z'],
    ['Asia/Beirut', '2027-10-30T23:59:59+03:00', '2027-10-30T20:59:59Z'],
    ['Asia/Beirut', '2027-10-30T23:00:00+02:00', '2027-10-30T21:00:00Z'],
    ['Australia/Lord_Howe', '2027-04-04T01:59:59+11:00', '2027-04-03T14:59:59Z'],
    ['Australia/Lord_Howe', '2027-04-04T01:30:00+10:30', '2027-04-03T15:00:00Z'],
    ['Australia/Lord_Howe', '2027-10-03T01:59:59+10:30', '2027-10-02T15:29:59Z'],
    ['Australia/Lord_Howe', '2027-10-03T02:30:00+11:00', '2027-10-02T15:30:00Z'],
    ['America/Montevideo', '2027-04-04T00:00:00-03:00', '2027-04-04T03:00:00Z'],
    ['America/Montevideo', '2027-10-03T00:00:00-03:00', '2027-10-03T03:00:00Z'],
    ['UTC', '2027-04-04T03:00:00+00:00', '2027-04-04T03:00:00Z'],
    ['UTC', '2027-10-03T03:00:00+00:00', '2027-10-03T03:00:00Z'],
  ] as const;
  it.each(moments)(
    'of %s at %s is due at %s, and shows the clock of the place',
    async (zone, local, instant) => {
      await api.sql`update locations set timezone = ${zone} where id = ${place.locationId}`;
      const product_id = await made(10);
      for (const effective_at of [local, instant]) {
        const planned = await plannedPrices(place, { effective_at, prices: [{ product_id, price: 11 }] });
        expect(planned.effective_at).toBe(`${local.slice(0, 19)}.000${local.slice(19)}`);
        const [due] = await api.sql<{ at: Date; job: Date }>`
        select r.effective_at as at, j.run_at as job from price_changes r
        join graphile_worker._private_jobs j on j.key = 'apply-price-change:' || r.id where r.id = ${planned.id}`;
        expect(due).toEqual({ at: new Date(instant), job: new Date(instant) });
      }
    },
  );
});
