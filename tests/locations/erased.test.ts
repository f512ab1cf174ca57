import { expect, it, vi } from 'vitest';
import { erasedColumns } from '../../packages/db/src/tables/erased.ts';
import { tables } from '../../packages/db/src/tables/index.ts';
import { sqlName } from '../../packages/db/src/tables/sql-name.ts';
import { openHand } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { createOrderKitchen, orderBody, orderOf, postOrder } from '../support/orders.ts';
import { waitFor } from '../support/wait.ts';
import { tablesWith, usePlace } from './moving.ts';

vi.setConfig({ testTimeout: 180_000 });

const place = usePlace();
// It answers with what it got, as some do.
const consumer = useConsumer(({ text }, response) => response.end(text.slice(0, 1_000)));
/** No more fits into a country. */
const country = '§Ω';
/** Every column that an erasure empties, with a text of its own: of the rows in packages/db/src/tables. */
const personal = tables.flatMap((table) =>
  erasedColumns(table).map(({ name, to }) => {
    if (name === 'delivery_country') return { table, name, to, mark: country, text: country };
    const mark = `Zurda ${table.name}.${name}`;
    return { table, name, to, mark, text: `María "la ${mark}" \\ Gómez` };
  }),
);
const textOf = (table: string, column: string): string =>
  personal.find((each) => each.table.name === table && each.name === column)?.text ?? 'Zurda';
const others = 'Table 9';

it('what a person left in an order is nowhere in the database once it is erased, and all else stays', async () => {
  const { api } = place;
  const kitchen = await createOrderKitchen(api);
  const events = ['order.created', 'order.updated', 'order.cancelled'];
  for (const version of ['v1/webhooks', 'v2/webhook-endpoints'])
    await api.rest(`POST /${version}`, {
      body: { url: consumer.url, events: version.startsWith('v1') ? ['order.created'] : events },
    });
  await place.startWorker();
  const idempotencyKey = 'erase-1';
  const body = orderBody(kitchen, {
    identifier: textOf('orders', 'identifier'),
    items: [{ product_id: kitchen.productId, quantity: 2, comment: textOf('order_items', 'comment') }],
  });
  const order = orderOf(await postOrder(api, body, { idempotencyKey }));
  const other = orderOf(await postOrder(api, orderBody(kitchen, { identifier: others })));
  const hand = await openHand(api.databaseUrl);
  await hand.sql(`update orders set identifier = identifier || '!' where location_id = $1`, [api.locationId]);
  await api.rest(`POST /v2/orders/${order.id}/cancel`, {
    body: { reason: textOf('orders', 'cancel_reason') },
  });
  // Columns that the API does not write are written here, and all are edited by hand.
  for (const { table, name, text } of personal)
    await hand.deed(
      'repair: a test',
      `update ${sqlName(table)} set ${name} = coalesce(nullif(${name}, ''), $2) || $3
       where ${table.name === 'orders' ? 'id' : 'order_id'} = $1`,
      [order.id, text, text === country ? '' : '!'],
    );
  await hand.close();
  await waitFor('all webhooks', async () => {
    const [waiting] = await place.sql<{ n: number }>`
      select (select count(*) from internal.captured_changes)::int + (select count(*) from webhook_deliveries
      where status <> 'delivered')::int as n`;
    return waiting?.n === 0 && consumer.received.length >= 4;
  });
  const before = await api.rest(`GET /v2/orders/${order.id}`);
  for (const { table, mark } of personal)
    expect(await tablesWith(place, mark), mark).toEqual(
      expect.arrayContaining([
        table.name,
        'audit_entries',
        ...(before.text.includes(mark) ? ['events'] : []),
      ]),
    );
  expect(await tablesWith(place, 'Zurda')).toEqual(
    expect.arrayContaining([
      'audit_entries',
      'events',
      'idempotency_keys',
      'order_items',
      'orders',
      'webhook_attempts',
    ]),
  );

  const erased = await place.comanda('erase', '--order', order.id);
  expect(erased.code, erased.stderr).toBe(0);
  for (const left of ['Zurda', country]) expect(await tablesWith(place, left)).toEqual([]);
  expect(await tablesWith(place, others)).toEqual(
    expect.arrayContaining(['audit_entries', 'events', 'orders']),
  );

  const now = orderOf(await api.rest(`GET /v2/orders/${order.id}`));
  const was = orderOf(before);
  expect(now).toEqual({
    ...withoutPerson('orders', was),
    items: was.items.map((item) => withoutPerson('order_items', item)),
  });
  expect((await api.rest(`GET /v2/orders/${other.id}`)).text).toContain(others);
  // A consumer with a copy gets its event, and a repeat gets the answer without the person.
  const updated = await waitFor('order.updated', () =>
    consumer.received.find(
      ({ body: event }) =>
        event.type === 'order.updated' &&
        (event.data as { id: string }).id === order.id &&
        (event.data as { identifier: string }).identifier === '',
    ),
  );
  expect(updated.text).not.toContain('Zurda');
  const repeated = await postOrder(api, body, { idempotencyKey });
  expect(repeated.status).toBe(201);
  expect(repeated.text).not.toContain('Zurda');
  const again = await place.comanda('erase', '--order', order.id, '--json');
  expect(JSON.parse(again.stdout).rows).toMatchObject({
    orders: 0,
    order_items: 0,
    events: 0,
    idempotency_keys: 0,
  });
});

/** The visible fields of a row once it is erased: nulls are left out. */
function withoutPerson(table: string, shown: object): object {
  const erased = new Map(
    personal.filter((each) => each.table.name === table).map(({ name, to }) => [name, to]),
  );
  return Object.fromEntries(
    Object.entries(shown)
      .filter(([name]) => erased.get(name) !== 'null')
      .map(([name, value]) => [name, erased.has(name) ? '' : value]),
  );
}
