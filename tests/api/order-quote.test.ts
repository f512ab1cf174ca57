import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OrderQuote, OrderQuoteRequest } from '../../packages/api/src/resources/orders/quote.schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { orderOf, postOrder, refusalOf, useOrderKitchen } from '../support/orders.ts';
import { beginIn } from '../support/session.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const quote = async (body: unknown) =>
  dataOf(await api.rest('POST /v2/orders/quote', { body }), 200, OrderQuote);

const messageOf = ({ refusals }: OrderQuote) =>
  refusals.map(({ path, message }) => `${path}: ${message}`).join('; ');

describe('POST /v2/orders/quote', () => {
  it('returns the lines and the total that the order has once it is placed', async () => {
    const productId = await api.make.product({ price: 0.05 });
    const choice = { productId, items: [{ price: 1.25, max: 3 }], maxSelection: 3 };
    const { itemIds } = await api.make.subselection(choice);
    const subselections = [{ item_id: itemIds[0], quantity: 2 }];
    const body = kitchen.body({
      items: [
        { product_id: productId, quantity: 1.5, comment: 'Hot', subselections },
        { product_id: kitchen.productId, quantity: 0.333 },
      ],
    });
    const quoted = await quote(body);
    expect(quoted.refusals).toEqual([]);
    const { items, total } = orderOf(await postOrder(api, body));
    expect({ items: quoted.items, total: quoted.total }).toEqual({ items, total });
    const again = OrderQuoteRequest.parse({ ...body, external_id: 'not taken yet' });
    expect(await api.client().orders.quote.query(again)).toEqual(quoted);
  });

  it('accepts from the typed client an order that is longer than any URL', async () => {
    const items = Array.from({ length: 200 }, () => ({
      product_id: kitchen.productId,
      quantity: 1,
      comment: 'no sugar, '.repeat(20),
    }));
    const request = OrderQuoteRequest.parse(kitchen.body({ items }));
    const { items: quoted } = await api.client().orders.quote.query(request);
    expect(quoted).toHaveLength(200);
  });

  it('returns every refusal at once, in the words of creation', async () => {
    const scarce = await api.make.product({ stock: { enabled: true, quantity: 1 } });
    const disabled = await api.make.paymentMethod({ enabled: false });
    const body = kitchen.body({
      items: [
        ...Array.from({ length: 12 }, () => ({ product_id: randomUUID(), quantity: 1 })),
        { product_id: scarce, quantity: 2 },
      ],
      payment_method_id: disabled,
    });
    const quoted = await quote(body);
    expect(quoted.refusals).toHaveLength(14);
    expect(new Set(quoted.refusals.map(({ code }) => code))).toEqual(new Set(['validation_error']));
    expect(quoted.items.map(({ product_id }) => product_id)).toEqual([scarce]);
    const creation = refusalOf(await postOrder(api, body));
    const ten = messageOf({ ...quoted, refusals: quoted.refusals.slice(0, 10) });
    expect(creation.message).toBe(`${ten}; and 4 more`);
  });

  it('names the order that has the external_id', async () => {
    const body = kitchen.body();
    const placed = orderOf(await postOrder(api, body));
    const quoted = await quote(body);
    expect(quoted.items).toEqual(placed.items);
    const { message } = refusalOf(await postOrder(api, body));
    const taken = { code: 'conflict', reason: 'external_id_taken', path: 'external_id', message };
    expect(quoted.refusals).toEqual([taken]);
    expect(message).toContain(placed.id);
  });

  it('refuses a malformed body as creation does', async () => {
    const body = kitchen.body({ items: [{ product_id: kitchen.productId, quantity: 0 }] });
    const answer = await api.rest('POST /v2/orders/quote', { body });
    expect(answer.status).toBe(422);
    expect(refusalOf(answer)).toEqual(refusalOf(await postOrder(api, body)));
  });

  it('changes nothing, and takes back no stock', async () => {
    const scarce = await api.make.product({ stock: { enabled: true, quantity: 1 } });
    const before = await everything();
    const body = kitchen.body({ items: [{ product_id: scarce, quantity: 1 }] });
    for (let n = 0; n < 3; n += 1) expect((await quote(body)).refusals).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('waits for no lock, on any row', async () => {
    const scarce = await api.make.product({ stock: { enabled: true, quantity: 1 } });
    const outside = await beginIn(api.pool);
    for (const table of ['products', 'product_stock', 'payment_methods', 'orders'])
      await outside.query(`select from ${table} where location_id = $1 for update`, [api.locationId]);
    const body = kitchen.body({ items: [{ product_id: scarce, quantity: 2 }] });
    expect(messageOf(await quote(body))).toBe('items[0].quantity: insufficient stock, only 1 left');
  });
});

/** How often each table was written, with what there is of it. */
const everything = () =>
  api.sql(
    `select coalesce(string_agg(t::text, ',' order by t::text), '') as written from (
       select 'orders', count(*) from orders union all select 'payments', count(*) from payments
       union all select 'changes', count(*) from internal.captured_changes
       union all select 'keys', count(*) from internal.idempotency_keys
       union all select 'stock', sum(quantity) from product_stock
       union all select 'counters', sum(value) from internal.location_counters) t`,
  );
