import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../../packages/api/src/resources/events/schema.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { words } from '../support/words.ts';
import { eventsOf } from './events-of.ts';

const api = useSteppedApi();
const kitchen = useOrderKitchen(api);

const types = (events: FeedEvent[]) => events.map(({ type }) => type).sort();

describe('a payment that moves', () => {
  it.each(['complete', 'reject'] as const)(
    'by payments.%s publishes order.updated, with its status',
    async (verb) => {
      const { id, payment } = await kitchen.place();
      const events = await eventsOf(api, () => api.client().payments[verb].mutate({ id: payment.id }));
      const status = verb === 'complete' ? 'completed' : 'rejected';
      expect(types(events)).toEqual(['order.updated', `payment.${status}`, 'payment.updated']);
      const order = events.find(({ type }) => type === 'order.updated');
      expect(order?.data).toMatchObject({ id, payment: { id: payment.id, status } });
      expect(order?.data).toEqual((await api.rest<{ data: object }>(`GET /v2/orders/${id}`)).body.data);
    },
  );

  it('by hand publishes it, too, for each order', async () => {
    const orders = [await kitchen.place(), await kitchen.place()];
    const ids = orders.map(({ payment }) => payment.id);
    const events = await eventsOf(api, () =>
      api.pool.query(`update payments set status = 'completed' where id = any ($1)`, [ids]),
    );
    const updated = events.flatMap((event) => (event.type === 'order.updated' ? event.data.id : []));
    expect(updated.sort()).toEqual(orders.map(({ id }) => id).sort());
  });

  it('with its canceled order publishes order.updated once', async () => {
    const { id } = await kitchen.place();
    const events = await eventsOf(api, () => api.client().orders.cancel.mutate({ id }));
    expect(types(events)).toEqual(
      words('order.cancelled order.status_changed order.updated payment.rejected payment.updated'),
    );
  });
});

describe('catalog.updated', () => {
  const version = async () => (await api.client().catalog.get.query()).version;
  const publishedAt = (events: FeedEvent[]) =>
    events.flatMap((event) => (event.type === 'catalog.updated' ? event.data.published_at : []));

  it('carries the version of the catalog, of a change and of a publication', async () => {
    const before = await version();
    const { categories } = api.client();
    const changed = publishedAt(
      await eventsOf(api, () => categories.create.mutate({ name: 'Food', priority: 1, visible: true })),
    );
    expect(changed).toEqual([await version()]);
    expect(changed[0]).not.toBe(before);
    const published = publishedAt(await eventsOf(api, () => api.client().catalog.publish.mutate()));
    expect(published).toEqual(changed);
  });

  it('comes when a category is hidden', async () => {
    const { categories } = api.client();
    const { id } = await categories.create.mutate({ name: 'Drinks', priority: 1, visible: true });
    const before = await version();
    const events = await eventsOf(api, () => categories.update.mutate({ id, visible: false }));
    expect(publishedAt(events)).toEqual([await version()]);
    expect(await version()).not.toBe(before);
  });
});
