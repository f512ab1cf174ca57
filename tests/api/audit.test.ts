import { expect, it } from 'vitest';
import { z } from 'zod';
import { makeSubject, openKitchen } from '../contract/kitchen.ts';
import { callRest, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { createOrderKitchen } from '../support/orders.ts';
import type { Place } from '../support/place.ts';
import { runOnce } from '../support/server.ts';
import { ownTables } from '../support/tables.ts';

const api = useApi();

const Changes = z.strictObject({ before: z.looseObject({}).nullable(), after: z.looseObject({}).nullable() });

/** Every procedure of the typed client alone, and what moves money by REST as well, with an input that changes something in a location of its own. */
const changing: Record<string, (place: Place, name: string) => Promise<object> | object> = {
  'payments.complete': pendingPayment,
  'payments.reject': pendingPayment,
  'payments.refund': async (place) => {
    const { id } = await pendingPayment(place);
    await api.prisma.payment.updateMany({ where: { id }, data: { status: 'completed' } });
    return { id, amount: 1, reason: 'Cold', person: 'Ana', idempotencyKey: 'one refund' };
  },
  'orders.addPayment': async (place) => {
    const { paymentMethodId, place: placed } = await createOrderKitchen(place);
    const { id, payment } = await placed();
    await api.prisma.payment.updateMany({ where: { id: payment.id }, data: { status: 'rejected' } });
    return { id, payment_method_id: paymentMethodId, idempotencyKey: 'another payment' };
  },
  'paymentMethods.create': () => ({ name: 'Pix', type: 'qr' }),
  'paymentMethods.update': async ({ make }) => ({ id: await make.paymentMethod(), name: 'Coins' }),
  'paymentMethods.delete': async ({ make }) => ({ id: await make.paymentMethod() }),
  'turns.open': () => ({}),
  'turns.close': async ({ locationId }) => {
    await api.prisma.turn.create({ data: { locationId, batchNumber: 1 } });
    return {};
  },
  'menus.create': async (place) => ({ name: 'Lunch', category_ids: [await category(place)] }),
  'menus.update': async (place) => ({ id: await menu(place), name: 'Dinner' }),
  'menus.publish': async (place) => ({ id: await menu(place) }),
  'menus.copy': async () => {
    const locationId = await api.make.location();
    await api.prisma.menu.create({ data: { locationId, name: 'Winter' } });
    return { from_key: (await api.make.key({ locationId })).key };
  },
  'catalog.publish': () => ({}),
  'categories.changePrices': async (place) => {
    const id = await category(place);
    await place.make.product({ price: 10, categoryIds: [id] });
    return { id, amount: 1 };
  },
  'subselections.create': async ({ make }) => ({
    product_id: await make.product(),
    name: 'Milk',
    min_selection: 0,
    max_selection: 1,
    items: [],
  }),
  'subselections.update': async (place) => ({ id: (await choice(place)).id, name: 'Milks' }),
  'subselections.delete': async (place) => ({ id: (await choice(place, [])).id }),
  'subselectionItems.create': async (place) => ({
    subselection_id: (await choice(place)).id,
    name: 'Soy milk',
    price: 1,
  }),
  'subselectionItems.update': async (place) => ({ id: (await choice(place)).itemIds[0], name: 'Oats' }),
  'subselectionItems.delete': async (place) => ({ id: (await choice(place)).itemIds[0] }),
  'keys.create': () => ({ name: 'ERP', permissions: ['orders:read'] }),
  'keys.narrow': async ({ make }) => ({ id: (await make.key()).id, permissions: ['orders:read'] }),
  'keys.rotate': async ({ make }) => ({ id: (await make.key()).id, grace_hours: 1 }),
  'keys.revoke': async ({ make }) => ({ id: (await make.key()).id }),
  'locations.create': () => ({ name: 'Second' }),
  'locations.update': ({ locationId }) => ({ id: locationId, name: 'Renamed' }),
  'deliveries.retry': made,
  'syncJobs.retry': made,
  'audit.undo': made,
};

/** Procedures that change only what the history of its rows records. */
const recordedByTriggers: Record<string, object> = {
  'categories.changePrices': { operation: 'update', relation: 'products' },
  'subselectionItems.update': { operation: 'update', relation: 'subselection_items' },
};

/** Procedures that change two rows, each of which is looked for in the audit by its own id: the key that is made, and the one that ends. */
const entriesEach: Record<string, number> = { 'keys.rotate': 2 };

const audited = operations.filter(
  ({ name, routes, kind }) =>
    kind === 'mutation' &&
    (routes.length === 0 || name.startsWith('payments.') || name === 'orders.addPayment'),
);

it('every procedure that is audited is in the table', () => {
  expect(audited.map(({ name }) => name).sort()).toEqual(Object.keys(changing).sort());
});

it.each(Object.entries(changing))(
  'is written down with its key and its request, once for each row: %s',
  async (name, prepare) => {
    const place = await api.place();
    const input = await prepare(place, name);
    const { status, text, headers } = await call(name, place, input);
    expect(status, text).toBe(200);
    const entries = (await entriesOf(place)).filter(byRequest);
    const written = Array.from({ length: entriesEach[name] ?? 1 }, () =>
      expect.objectContaining({
        actorKind: 'api_key',
        apiKeyId: place.key.id,
        requestId: headers.get('x-request-id'),
        ...(recordedByTriggers[name] ?? { operation: name }),
        resourceId: expect.any(String),
      }),
    );
    expect(entries).toEqual(written);
    expect(new Set(entries.map(({ resourceId }) => resourceId)).size).toBe(entries.length);
    const { before, after } = Changes.parse(entries[0]?.changes);
    expect(after).not.toEqual(before);
  },
);

it.each(Object.entries(changing))(
  'nothing changes when it cannot be written down: %s',
  async (name, prepare) => {
    const place = await api.place();
    const input = await prepare(place, name);
    const before = await everything();
    await withoutAudit(async () => expect((await call(name, place, input)).status).toBe(500));
    expect(await everything()).toEqual(before);
    expect((await entriesOf(place)).filter(byRequest)).toEqual([]);
  },
);

async function pendingPayment(place: Place): Promise<{ id: string }> {
  const { payment } = await (await createOrderKitchen(place)).place();
  return { id: payment.id };
}

/** The results of the makers of all tests. */
async function made({ locationId, key }: Place, name: string): Promise<object> {
  const kitchen = await openKitchen(api, { at: { locationId, key: key.key } });
  const operation = audited.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  return { id: (await makeSubject(kitchen, operation)).id };
}

const category = ({ make }: Place) => make.category();

const choice = async ({ make }: Place, items: { name: string }[] = [{ name: 'Oat milk' }]) =>
  make.subselection({ productId: await make.product(), items });

async function menu({ locationId }: Place): Promise<string> {
  return (await api.prisma.menu.create({ data: { locationId, name: 'Lunch' } })).id;
}

const call = (name: string, { key }: Place, input: object) =>
  callRest(api.url, `POST /trpc/${name}`, { key: key.key, body: input });

/** Without manual edits, and undos in a person's name. */
const byRequest = ({ actorKind }: { actorKind: string }) => actorKind !== 'database';

const entriesOf = ({ locationId }: Place) => api.prisma.auditEntry.findMany({ where: { locationId } });

/** A fingerprint of every table that a procedure could change, except counters of requests and uses. */
async function everything(): Promise<Record<string, string>> {
  const tables = (await ownTables(api.pool)).filter(
    ({ name }) => !['limit_counters', 'process_heartbeats', '_prisma_migrations'].includes(name),
  );
  const prints: Record<string, string> = {};
  for (const { name, sql } of tables) {
    const row = name === 'api_keys' ? `to_jsonb(t) - 'last_used_at'` : 'to_jsonb(t)';
    const rows = await api.sql<{ print: string }>(
      `select md5(coalesce(string_agg((${row})::text, ' ' order by (${row})::text), '')) as print from ${sql} t`,
    );
    prints[name] = rows[0]?.print ?? '';
  }
  return prints;
}

/** Runs `work` while no audit entry can be stored. */
async function withoutAudit(work: () => Promise<void>): Promise<void> {
  const alter = (what: string) => runOnce(api.databaseUrl, `alter table audit_entries ${what}`);
  await alter('add constraint test_refused check (false) not valid');
  try {
    await work();
  } finally {
    await alter('drop constraint test_refused');
  }
}
