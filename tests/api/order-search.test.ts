import { describe, expect, it } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';

const api = usePublishingApi();
const kitchen = useOrderKitchen(api);

const today = () => new Date().toISOString().slice(0, 10);
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
/** Wherever the location is, its day is one of these. */
const days = () => ({ from: yesterday(), to: tomorrow() });

const found = async (text: string, more: object = {}) => {
  const { data } = await api.client().orders.search.query({ text, ...days(), ...more });
  return data.map(({ id }) => id);
};

describe('orders.search', () => {
  it('finds a part of the label, the external id, the name or the comment of a line, in any case', async () => {
    const productId = await api.make.product({ name: 'Empanada' });
    const order = await kitchen.place({
      identifier: 'Ñandú 100%_',
      items: [{ product_id: productId, quantity: 1, comment: 'Sin CEBOLLA' }],
    });
    const other = await kitchen.place();
    for (const text of ['ñandÚ', '100%_', 'empanad', 'cebolla', (order.external_id ?? '').toUpperCase()])
      expect([text, await found(text)]).toEqual([text, [order.id]]);
    expect(await found('no such text')).toEqual([]);
    expect(await found((other.external_id ?? '').toLowerCase())).toEqual([other.id]);
  });

  it('is narrowed by status, channel and days, and pages', async () => {
    const orders = [await kitchen.place(), await kitchen.place()];
    const [first, second] = orders;
    if (first === undefined || second === undefined) throw new Error('two orders are placed');
    await api.client().orders.cancel.mutate({ id: first.id });
    const text = 'a';
    const all = await found(text, { limit: 200 });
    expect(all.slice(0, 2)).toEqual([second.id, first.id]);
    expect(await found(text, { limit: 1, offset: 1 })).toEqual([first.id]);
    expect(await found(text, { status: ['canceled'] })).toContain(first.id);
    expect(await found(text, { status: ['canceled'] })).not.toContain(second.id);
    expect(await found(text, { channel: 'none such' })).toEqual([]);
    expect(await found(text, { from: '2020-01-01', to: '2020-01-31' })).toEqual([]);
  });

  it('goes through no more than 31 days', async () => {
    const search = (from: string, to: string) => api.client().orders.search.query({ text: 'a', from, to });
    await search('2026-01-01', '2026-01-31');
    await expect(search('2026-01-01', '2026-02-01')).rejects.toThrow('must be at most 31 days');
    await expect(search(tomorrow(), today())).rejects.toThrow('must not be after to');
  });

  it('finds nothing of another location', async () => {
    await kitchen.place();
    const { id } = await api.client().locations.create.mutate({ name: 'Elsewhere' });
    const { key } = await api.make.key({ locationId: id, permissions: ['orders:read'] });
    const { pagination } = await api.client(key).orders.search.query({ text: 'a', ...days() });
    expect(pagination.total).toBe(0);
  });
});
