import { issueCode } from '@comanda/api/services';
import { newId } from '@comanda/db';
import { type Kitchen, makePlain, openKitchen, plainResources } from '../contract/kitchen.ts';
import { callRest, type TestApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { makers } from '../support/makers.ts';
import { type OwnTable, ownTables } from '../support/tables.ts';
import { use } from '../support/use.ts';

/** The neighbor's name for all its rows, and a name as long that no row has. */
export const theirs = 'only-theirs';
export const nobodys = 'nobodys-own';

/** Another location with at least one row in every table that belongs to a location. */
export interface Neighbour extends Kitchen {
  orderId: string;
  eventId: string;
}

/** Opens a location and fills it; everything in it that has a name or an external id carries `theirs`. */
export async function openNeighbour(api: TestApi): Promise<Neighbour> {
  const kitchen = await openKitchen(api);
  const { locationId, key } = kitchen;
  const named = { locationId, name: theirs, externalId: theirs };
  const categoryId = await api.make.category(named);
  const productId = await api.make.product({
    ...named,
    sku: theirs,
    categoryIds: [categoryId],
    stock: { enabled: true, quantity: 9 },
  });
  const extras = { locationId, productId, name: theirs, items: [{ name: theirs }] };
  const { id: subselectionId, itemIds } = await api.make.subselection(extras);
  await api.sql`update subselections set external_id = ${theirs} where id = ${subselectionId}`;
  await api.sql`update subselection_items set external_id = ${theirs} where id = any(${itemIds})`;
  const paymentMethodId = await api.make.paymentMethod({ locationId, name: theirs, type: 'qr' });
  const menu = await api.prisma.menu.findFirstOrThrow({ where: { locationId } });
  await api.prisma.menuCategory.create({ data: { locationId, menuId: menu.id, categoryId } });

  const category = { id: categoryId, externalId: theirs };
  const product = { id: productId, externalId: theirs };
  const filled = { ...kitchen, category, product, itemId: itemIds[0] ?? '', paymentMethodId };
  for (const make of Object.values(makers)) await make(filled);
  // The kitchen made some with names of its own.
  kitchen.made.clear();
  for (const resource of plainResources()) {
    const shape = operations.find(({ name }) => name === `${resource}.create`)?.input.shape ?? {};
    const ours = ['external_id', 'name'].filter((field) => field in shape).map((field) => [field, theirs]);
    await makePlain(kitchen, resource, Object.fromEntries(ours));
  }
  kitchen.made.set('turns', await api.prisma.turn.create({ data: { locationId, batchNumber: 2 } }));
  const settlement = await api.prisma.settlement.findFirstOrThrow({ where: { locationId } });
  kitchen.made.set('settlements', settlement);
  const body = {
    external_id: theirs,
    channel: theirs,
    is_take_away: false,
    identifier: theirs,
    items: [{ product_id: productId, quantity: 1 }],
    payment_method_id: paymentMethodId,
  };
  const made = await callRest<{ data: { id: string } }>(api.url, 'POST /v2/orders', {
    key,
    body,
    headers: { 'idempotency-key': theirs },
  });
  const orderId = made.body.data.id;
  await callRest(api.url, `PATCH /v2/orders/${orderId}/status`, { key, body: { status: 'ready' } });
  await callRest(api.url, 'GET /v2/catalog', { key });
  const gone = await api.make.product({ locationId, name: theirs });
  await callRest(api.url, `DELETE /v2/products/${gone}`, { key });
  const eventId = await publish(api, locationId, orderId);
  return { ...filled, orderId, eventId };
}

/** One for the tests of a file. */
export const useNeighbour = (api: TestApi): Neighbour => use(() => openNeighbour(api));

/** Every row that belongs to the location, as text by table. */
export async function snapshot({ app, sql }: TestApi, locationId: string): Promise<Record<string, string>> {
  const tables = await tablesOfLocations({ app });
  const parts = tables.map(
    ({ name, sql }) => `select '${name}' as name, coalesce(string_agg(row, e'\\n' order by row), '') as text
      from (select (to_jsonb(t) - 'last_used_at')::text as row from ${sql} t
            where ${name === 'locations' ? 'id' : 'location_id'} = $1) all_rows`,
  );
  const rows = await sql<{ name: string; text: string }>(parts.join(' union all '), [locationId]);
  return Object.fromEntries(rows.map(({ name, text }) => [name, text]));
}

/** The tables whose rows belong to a location, `locations` itself among them. */
export async function locationTables({ app }: Pick<TestApi, 'app'>): Promise<string[]> {
  return (await tablesOfLocations({ app })).map(({ name }) => name);
}

async function tablesOfLocations({ app }: Pick<TestApi, 'app'>): Promise<OwnTable[]> {
  const located = new Set((await ownTables(app.database.pool, 'location_id')).map(({ name }) => name));
  return (await ownTables(app.database.pool)).filter(({ name }) => name === 'locations' || located.has(name));
}

// An event as the relay stores it, with a delivery and an attempt: no worker runs during these tests.
async function publish(
  { app, prisma, sql }: TestApi,
  locationId: string,
  resourceId: string,
): Promise<string> {
  const [eventId, deliveryId] = [newId(), newId()];
  const endpoint = await prisma.webhookEndpoint.findFirstOrThrow({ where: { locationId } });
  await sql`insert into events (location_id, id, number, type, resource_id, body, created_at)
    values (${locationId}, ${eventId}, 1, 'order.created', ${resourceId}, jsonb_build_object('id', ${eventId}::uuid)::text, now())`;
  await sql`insert into webhook_deliveries (location_id, id, endpoint_id, event_id, status, attempts)
    values (${locationId}, ${deliveryId}, ${endpoint.id}, ${eventId}, 'delivered', 1)`;
  await sql`insert into webhook_attempts (location_id, id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
      response_code, duration_ms, attempted_at)
    values (${locationId}, ${newId()}, ${deliveryId}, ${endpoint.id}, ${eventId}, 'order.created', 1, 'delivered', 200, 5, now())`;
  await sql`insert into internal.endpoint_health values (${locationId}, ${endpoint.id}, now(), now())`;
  await sql`insert into internal.endpoint_clearings (location_id, endpoint_id, gone) values (${locationId}, ${newId()}, true)`;
  await sql`with made as (
      insert into certifications (location_id, does, status, completed_at) values (${locationId}, '{}', 'aborted', now()) returning id
    )
    insert into internal.certification_calls (location_id, certification_id, operation, request, request_id)
    select ${locationId}, id, 'orders.list', '', 'theirs' from made`;
  await issueCode(app.database, { location_id: locationId });
  return eventId;
}
