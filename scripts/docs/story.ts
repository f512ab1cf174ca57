import { type ComandaClient, createClient } from '@comanda/client';
import type { Database } from '@comanda/db';
import { exampleMenu as menu } from '../../packages/api/src/documents/demo-examples.ts';
import type { EventType } from '../../packages/api/src/resources/events/types.schema.ts';
import { applySyncJob, beginSyncJob } from '../../packages/api/src/resources/sync-jobs/apply.store.ts';
import { plainSteps } from './plain-steps.ts';

/** Where the story plays: a running service with an empty location, and what earlier steps made. */
export interface Scene {
  client: ComandaClient;
  database: Database;
  locationId: string;
  paymentMethodId: string;
  /** Ids by the names that the steps give them. */
  made: Map<string, string>;
}

/** One action, and every event that it makes. */
export interface Step {
  /** The action, for the reader. */
  title: string;
  /** The operation or tool of it. */
  by: string;
  emits: readonly EventType[];
  /** The types whose example this step gives. */
  shows: readonly EventType[];
  run(scene: Scene): Promise<unknown>;
}

/** One story: a coffee bar is set up, sells, and closes its till. */
const actions: readonly Step[] = [
  {
    title: 'The ERP brings its catalog: a category with one product that has a choice',
    by: 'POST /v2/catalog/sync',
    emits: ['product.created', 'stock.updated', 'catalog.updated'],
    shows: [],
    run: ({ client }) => client.catalog.sync.mutate({ categories: [drinks] }),
  },
  {
    title: 'A product is created',
    by: 'POST /v2/products',
    emits: ['product.created', 'stock.updated', 'catalog.updated'],
    shows: ['product.created'],
    run: async (scene) => {
      const [category] = (await scene.client.categories.list.query({})).data;
      const [first] = (await scene.client.products.list.query({})).data;
      const product = { ...croissant, category_ids: [category?.id ?? ''] };
      const { id } = await scene.client.products.create.mutate(product);
      scene.made
        .set('croissant', id)
        .set('flat white', first?.id ?? '')
        .set('drinks', category?.id ?? '');
    },
  },
  {
    title: 'A turn is opened',
    by: 'turns.open',
    emits: ['turn.open'],
    shows: ['turn.open'],
    run: ({ client }) => client.turns.open.mutate(),
  },
  {
    title: 'An order is created',
    by: 'POST /v2/orders',
    emits: ['order.created', 'payment.created', 'stock.updated'],
    shows: ['order.created', 'payment.created'],
    run: (scene) => order(scene, 'POS-7801', 'Table 4'),
  },
  {
    title: 'The order is ready',
    by: 'PATCH /v2/orders/{id}/status',
    emits: ['order.status_changed', 'order.updated'],
    shows: ['order.status_changed', 'order.updated'],
    run: ({ client, made }) =>
      client.orders.updateStatus.mutate({ id: made.get('POS-7801') ?? '', status: 'ready' }),
  },
  {
    title: 'The payment is completed',
    by: 'payments.complete',
    emits: ['payment.updated', 'payment.completed', 'order.updated'],
    shows: ['payment.updated', 'payment.completed'],
    run: ({ client, made }) => client.payments.complete.mutate({ id: made.get('payment of POS-7801') ?? '' }),
  },
  {
    title: 'The order is closed',
    by: 'PATCH /v2/orders/{id}/status',
    emits: ['order.status_changed', 'order.updated', 'order.completed'],
    shows: ['order.completed'],
    run: ({ client, made }) =>
      client.orders.updateStatus.mutate({ id: made.get('POS-7801') ?? '', status: 'closed' }),
  },
  {
    title: 'A second order is created',
    by: 'POST /v2/orders',
    emits: ['order.created', 'payment.created', 'stock.updated'],
    shows: [],
    run: (scene) => order(scene, 'POS-7802', 'Table 9'),
  },
  {
    title: 'The second order is canceled: its payment is rejected, its stock given back',
    by: 'POST /v2/orders/{id}/cancel',
    emits: [
      'order.status_changed',
      'order.updated',
      'order.cancelled',
      'payment.updated',
      'payment.rejected',
      'stock.updated',
    ],
    shows: ['order.cancelled', 'payment.rejected'],
    run: ({ client, made }) =>
      client.orders.cancel.mutate({ id: made.get('POS-7802') ?? '', reason: 'The guest left.' }),
  },
  {
    title: 'A price is edited by hand',
    by: 'Prisma Studio, psql',
    emits: ['product.updated', 'catalog.updated'],
    shows: ['product.updated', 'catalog.updated'],
    run: ({ database, made }) =>
      database.pool.query('update products set price = 175 where id = $1', [made.get('flat white')]),
  },
  {
    title: 'Stock is counted',
    by: 'POST /v2/stock/sync',
    emits: ['stock.updated'],
    shows: ['stock.updated'],
    run: ({ client }) =>
      client.stock.sync.mutate({ items: [{ sku: menu.flatWhite.sku, quantity: 40, min_stock_alarm: 5 }] }),
  },
  {
    title: 'The turn is closed, which settles it',
    by: 'turns.close',
    emits: ['turn.updated', 'turn.closed', 'settlement.created'],
    shows: ['turn.updated', 'turn.closed', 'settlement.created'],
    run: ({ client }) => client.turns.close.mutate(),
  },
  {
    title: 'A sync job ends well: one item is new, one is refused',
    by: 'POST /v2/sync/products',
    emits: ['product.created', 'sync.completed'],
    shows: ['sync.completed'],
    run: (scene) => job(scene, 'job-1', [menu.cortado, { ...menu.lungo, sku: menu.flatWhite.sku }]),
  },
  {
    title: 'A sync job of which no item can be applied',
    by: 'POST /v2/sync/products',
    emits: ['sync.failed'],
    shows: ['sync.failed'],
    run: (scene) => job(scene, 'job-2', [{ ...menu.lungo, sku: menu.flatWhite.sku }]),
  },
  {
    title: 'A product is deleted',
    by: 'DELETE /v2/products/{id}',
    emits: ['product.deleted', 'catalog.updated'],
    shows: ['product.deleted'],
    run: ({ client, made }) => client.products.delete.mutate({ id: made.get('croissant') ?? '' }),
  },
  {
    title: 'A test is asked for',
    by: 'POST /v2/webhook-endpoints/{id}/test',
    emits: ['webhook.test'],
    shows: ['webhook.test'],
    run: async ({ client }) => {
      const { id } = await client.webhookEndpoints.create.mutate({
        url: 'http://127.0.0.1:9/hooks/comanda',
        events: ['order.created'],
      });
      await client.webhookEndpoints.test.mutate({ id });
    },
  },
];

/** The story through every event. Events of plain resources follow automatically. */
export const story: readonly Step[] = [
  ...actions,
  ...plainSteps(new Set(actions.flatMap(({ shows }) => shows))),
];

/** Plays at the location of the key. */
export async function openScene(url: string, key: string, database: Database): Promise<Scene> {
  const client = createClient({ url, key, retries: 0 });
  const { id: locationId } = await client.locations.getCurrent.query();
  const [method] = (await client.paymentMethods.list.query({})).data;
  return { client, database, locationId, paymentMethodId: method?.id ?? '', made: new Map() };
}

const drinks = {
  ...menu.drinks,
  products: [
    {
      ...menu.flatWhite,
      stock: { enabled: true, quantity: 24, min_stock_alarm: 5 },
      subselections: [
        {
          external_id: 'DR-01-1',
          name: 'Milk',
          min_selection: 0,
          max_selection: 1,
          items: [menu.oat],
        },
      ],
    },
  ],
};

const croissant = {
  ...menu.croissant,
  image_url: 'https://images.example.com/croissant.jpg',
  stock: { enabled: true, quantity: 12, min_stock_alarm: 2 },
};

async function order(scene: Scene, externalId: string, identifier: string): Promise<void> {
  const { client, made, paymentMethodId } = scene;
  const { categories } = await client.catalog.get.query();
  const products = categories.flatMap((category) => category.products);
  const milk = products.flatMap(({ subselections }) => subselections).flatMap(({ items }) => items)[0];
  made.set('oat', milk?.id ?? '');
  const { id, payment } = await client.orders.create.mutate({
    idempotencyKey: externalId,
    external_id: externalId,
    channel: 'kiosk',
    is_take_away: false,
    identifier,
    payment_method_id: paymentMethodId,
    items: [
      {
        product_id: made.get('flat white') ?? '',
        quantity: 2,
        comment: 'Extra hot',
        subselections: [{ item_id: milk?.id ?? '', quantity: 1 }],
      },
    ],
  });
  made.set(externalId, id).set(`payment of ${externalId}`, payment.id);
}

type SyncItems = Parameters<Scene['client']['syncJobs']['startProducts']['mutate']>[0]['items'];

async function job({ client, database, locationId }: Scene, key: string, items: SyncItems): Promise<void> {
  await client.syncJobs.startProducts.mutate({ idempotencyKey: key, items });
  const begun = await beginSyncJob(database, locationId, '0');
  if (begun) await applySyncJob(database, locationId, begun);
}
