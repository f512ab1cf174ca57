import { newId } from '@comanda/db';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import type { Kitchen } from '../contract/kitchen.ts';
import { callRest } from './api.ts';
import { openHand } from './by-hand.ts';
import { createKey, createPaymentMethod } from './factories.ts';
import { prismaOf } from './prisma.ts';

let events = 0;

const endCertifications = ({ api, locationId }: Kitchen) =>
  api.app.database.pool.query(
    `update certifications set status = 'passed', waiting_for = null, completed_at = now()
     where location_id = $1 and status in ('queued', 'running')`,
    [locationId],
  );

/** A resource that was made, as its lookups name it. */
export interface Made {
  id: string;
  externalId?: string;
}

/**
 * Makes one of a resource in addition to those of the kitchen, for every test that goes over all operations, and for the
 * neighbor, which no other location may see. A resource with an operation `create` needs no row: it is made by that. A row for one
 * operation is under its name.
 */
export const makers: Record<string, (kitchen: Kitchen) => Made | Promise<Made>> = {
  categories: ({ category }) => category,
  products: ({ product }) => product,
  orders: (kitchen) => placed(kitchen, 'order-made'),
  payments: async (kitchen) => {
    const orderId = (await makers.orders?.(kitchen))?.id ?? '';
    const prisma = prismaOf(kitchen.api.app.database);
    return prisma.payment.findFirstOrThrow({ where: { locationId: kitchen.locationId, orderId } });
  },
  'orders.addPayment': async (kitchen) => {
    // The payment of the other order is to be refunded.
    const order = await placed(kitchen, 'order-refused');
    const prisma = prismaOf(kitchen.api.app.database);
    await prisma.payment.updateMany({
      where: { orderId: order.id, status: 'pending' },
      data: { status: 'rejected' },
    });
    return order;
  },
  'payments.refund': async (kitchen) => {
    const payment = await makers.payments?.(kitchen);
    const prisma = prismaOf(kitchen.api.app.database);
    await prisma.payment.updateMany({
      where: { id: payment?.id ?? '', status: 'pending' },
      data: { status: 'completed' },
    });
    return { id: payment?.id ?? '' };
  },
  // As much as the example expects.
  'stock.adjust': async ({ api, locationId, product }) => {
    const prisma = prismaOf(api.app.database);
    const there = { locationId, productId: product.id };
    await prisma.productStock.deleteMany({ where: there });
    await prisma.productStock.create({ data: { ...there, enabled: true, quantity: 24, minStockAlarm: 5 } });
    return product;
  },
  // Without payments: what has some is kept.
  'paymentMethods.delete': async ({ api, locationId }) => ({
    id: await createPaymentMethod(api.app.database, { locationId }),
  }),
  paymentMethods: ({ paymentMethodId }) => ({ id: paymentMethodId }),
  keys: ({ api, locationId }) => createKey(api.app.database, { locationId, permissions: ['orders:*'] }),
  locations: ({ locationId }) => ({ id: locationId }),
  turns: ({ api, locationId }) => prismaOf(api.app.database).turn.findFirstOrThrow({ where: { locationId } }),
  settlements: async ({ api, locationId }) => {
    const prisma = prismaOf(api.app.database);
    await prisma.turn.updateMany({ where: { locationId, status: 'open' }, data: { status: 'closed' } });
    return prisma.settlement.findFirstOrThrow({ where: { locationId } });
  },
  'settlements.entries': async (kitchen) => {
    await makers['payments.refund']?.(kitchen);
    return makers.settlements?.(kitchen) ?? { id: '' };
  },
  menus: ({ api, locationId }) => prismaOf(api.app.database).menu.findFirstOrThrow({ where: { locationId } }),
  syncJobs: async (kitchen) => {
    const items = [{ external_id: 'synced', name: 'Cortado', price: 9.5 }];
    const { job_id } = await created(kitchen, 'POST /v2/sync/products', { items });
    return { id: String(job_id) };
  },
  'syncJobs.retry': async (kitchen) => {
    const job = await makers.syncJobs?.(kitchen);
    const { pool } = kitchen.api.app.database;
    await pool.query(`update sync_jobs set status = 'failed', completed_at = now() where id = $1`, [job?.id]);
    return { id: job?.id ?? '' };
  },
  deliveries: async (kitchen) => {
    const endpoint = await makers.webhookEndpoints?.(kitchen);
    const [eventId, id] = [newId(), newId()];
    const { pool } = kitchen.api.app.database;
    await pool.query(
      `insert into events (location_id, id, number, type, resource_id, body, created_at)
       values ($1, $2, $3, 'order.created', $2, $4, now())`,
      [
        kitchen.locationId,
        eventId,
        1_000_000 + events++,
        JSON.stringify({ ...exampleEvent('order.created'), id: eventId }),
      ],
    );
    await pool.query(
      `insert into webhook_deliveries (location_id, id, endpoint_id, event_id, status, attempts)
       values ($1, $2, $3, $4, 'dead', 5)`,
      [kitchen.locationId, id, endpoint?.id, eventId],
    );
    return { id };
  },
  // A manual edit: keys undo nothing else.
  audit: async ({ api, locationId, category }) => {
    const { pool } = api.app.database;
    const hand = await openHand(pool.options.connectionString ?? '');
    try {
      await hand.sql('update categories set priority = priority + 1 where id = $1', [category.id]);
      const [entry] = await hand.sql<{ id: string }>(
        'select id from audit_entries where location_id = $1 order by created_at desc, id desc limit 1',
        [locationId],
      );
      return { id: entry?.id ?? '' };
    } finally {
      await hand.close();
    }
  },
  // There is one at a time, and a test may start another.
  certifications: async (kitchen) => {
    const made = await makers['certifications.abort']?.(kitchen);
    await endCertifications(kitchen);
    return made ?? { id: '' };
  },
  'certifications.abort': async (kitchen) => {
    await endCertifications(kitchen);
    const { id } = await created(kitchen, 'POST /v2/certifications', {});
    return { id: String(id) };
  },
  webhookEndpoints: async (kitchen) => {
    const url = 'http://127.0.0.1:9/hook';
    const { id } = await created(kitchen, 'POST /v2/webhook-endpoints', { url, events: ['order.created'] });
    return { id: String(id) };
  },
};

async function placed(kitchen: Kitchen, externalId: string): Promise<Made> {
  const body = {
    external_id: externalId,
    is_take_away: false,
    identifier: 'Table 1',
    items: [{ product_id: kitchen.product.id, quantity: 1 }],
    payment_method_id: kitchen.paymentMethodId,
  };
  const { id } = await created(kitchen, 'POST /v2/orders', body, externalId);
  return { id: String(id), externalId };
}

async function created(
  { api, key }: Kitchen,
  route: string,
  body: object,
  idempotencyKey = 'made-by-the-kitchen',
): Promise<Record<string, unknown>> {
  const headers = { 'idempotency-key': idempotencyKey };
  const answer = await callRest<{ data: Record<string, unknown> }>(api.url, route, { key, body, headers });
  if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}
