import { randomUUID } from 'node:crypto';
import { newId } from '@comanda/db';
import { beforeAll, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { orderBody, postOrder } from '../support/orders.ts';

const api = useApi();
let paymentMethodId: string;
beforeAll(async () => {
  paymentMethodId = await api.make.paymentMethod();
});

// Where text goes wrong: quotes, escapes, control characters, line separators, beyond the basic plane, markup.
const nasty = '"\\/\b\f\n\r\t\u0001\u001f\u007f\u2028é€😀</script>';

/** The order as PostgreSQL's own JSON functions build it from the rows. */
const builtByFunctions = `select json_strip_nulls(json_build_object(
    'id', o.id, 'number', o.number, 'status', o.status, 'total', trim_scale(o.total),
    'created_at', wire_time(o.created_at, l.timezone), 'payment', json_build_object('id', p.id, 'status', p.status),
    'external_id', o.external_id, 'channel', o.channel, 'is_take_away', o.is_take_away,
    'identifier', o.identifier, 'payment_method_id', o.payment_method_id, 'cancel_reason', o.cancel_reason,
    'items', coalesce((select json_agg(json_build_object(
        'product_id', i.product_id, 'name', i.name, 'quantity', trim_scale(i.quantity),
        'unit_price', trim_scale(i.unit_price), 'total', trim_scale(i.total), 'comment', i.comment,
        'subselections', case when i.selections = '[]' then null else (
          select json_agg(json_build_object('item_id', x->'item_id', 'quantity', x->'quantity') order by n)
          from jsonb_array_elements(i.selections) with ordinality as e (x, n)) end) order by i.position)
      from order_items i where i.location_id = o.location_id and i.order_id = o.id), '[]'::json)))::text as text
  from orders o join locations l on l.id = o.location_id
  join payments p on p.location_id = o.location_id and p.order_id = o.id where o.id = $1`;

async function built(id: string): Promise<string | undefined> {
  return (await api.sql<{ text: string }>(builtByFunctions, [id]))[0]?.text;
}

it('the answer to a creation is, byte for byte, what JSON functions build from its rows', async () => {
  const { locationId } = api;
  const productId = await api.make.product({ locationId, name: nasty, price: 10.5, stock: { quantity: 90 } });
  const choice = {
    locationId,
    productId,
    maxSelection: 9,
    single: false,
    items: [{ price: 0.25, max: 9 }, { max: 9 }],
  };
  const { itemIds } = await api.make.subselection(choice);
  const plain = await api.make.product({ locationId, price: 0 });
  const bodies = [
    {
      external_id: `"\\/\u2028é€😀</script>${randomUUID()}`,
      channel: nasty,
      identifier: nasty,
      is_take_away: true,
      items: [
        {
          product_id: productId,
          quantity: 1.25,
          comment: nasty,
          subselections: itemIds.map((item_id, index) => ({ item_id, quantity: index + 1 })),
        },
        { product_id: plain, quantity: 100, comment: '' },
        { product_id: productId, quantity: 0.001 },
      ],
    },
    { identifier: '', items: [{ product_id: plain, quantity: 9_999_999.5 }] },
  ];
  for (const overrides of bodies) {
    const answer = await postOrder(api, orderBody({ productId, paymentMethodId }, overrides));
    expect(answer.status, answer.text).toBe(201);
    const [, id = ''] = /"id":"([^"]+)"/.exec(answer.text) ?? [];
    expect(answer.text).toBe(`{"data":${await built(id)}}`);
    const canceled = await api.rest(`POST /v2/orders/${id}/cancel`, { body: { reason: nasty } });
    expect(canceled.text).toBe(`{"data":${await built(id)}}`);
  }
});

it('an order written by hand shows the same, with any content of its lines', async () => {
  const { locationId } = api;
  const productId = await api.make.product({ locationId });
  for (const selections of [
    '[]',
    '[{"item_id": "x", "quantity": 2.50, "more": null}, {"item_id": "", "quantity": 1}]',
  ]) {
    const id = newId();
    await underDeed(
      api.pool,
      'import: one order',
      `insert into orders (location_id, id, number, total, payment_method_id)
       values ($1, $2, (select coalesce(max(number), 0) + 1000 from orders), 1.10, $3)`,
      [locationId, id, paymentMethodId],
    );
    const shown = async () =>
      (await api.pool.query('select doc as text from orders_json($1, array[$2::uuid])', [locationId, id]))
        .rows[0]?.text;
    expect(await shown()).toBe(await built(id));
    await api.sql`insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, selections)
      values (${locationId}, ${id}, 1, ${productId}, ${nasty}, 1.10, 1, 1.10, ${selections})`;
    expect(await shown()).toBe(await built(id));
  }
});
