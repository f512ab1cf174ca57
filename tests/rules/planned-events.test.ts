import { eventTypes } from '@comanda/api/services';
import { describe, expect, test } from 'vitest';
import type { Change, JsonObject } from '../../packages/worker/src/relay/captured.ts';
import { planEvents } from '../../packages/worker/src/relay/plan.ts';
import { plainKinds } from '../../packages/worker/src/relay/rules.ts';

const locationId = '01935a3e-0000-7000-8000-000000000001';
let lastId = 0;

type Step = Partial<Change> & Pick<Change, 'resource' | 'operation'>;

const catalogKinds = /^(product|product_categories|category|subselection|subselection_item|stock|catalog)$/;

/** Changes of one transaction; the resource's id is its name unless said. */
function transaction(...steps: Step[]): Change[] {
  const seed = String(++lastId);
  return steps.map((step) => ({
    row: { locationId, id: String(++lastId), line: 0, seed, part: 0 },
    seed,
    part: 0,
    locationId,
    resourceId: step.resource,
    changed: [],
    // As the triggers record for every insertion and deletion there.
    inCatalog: step.operation !== 'update' && catalogKinds.test(step.resource),
    before: null,
    after: null,
    requestId: null,
    traceparent: null,
    capturedAt: new Date(0),
    located: true,
    ...step,
  }));
}

const types = (...steps: Step[]) =>
  planEvents(transaction(...steps)).flatMap(({ events }) => events.map(({ type }) => type));

const insert = (resource: string): Step => ({ resource, operation: 'insert' });
const remove = (resource: string, before: JsonObject = {}): Step => ({
  resource,
  operation: 'delete',
  before,
});
const update = (resource: string, ...changed: string[]): Step => ({ resource, operation: 'update', changed });
const inCatalog = (step: Step): Step => ({ ...step, inCatalog: true });
const move = (resource: string, from: string, to: string): Step => ({
  ...update(resource, 'status'),
  before: { status: from, external_id: null },
  after: { status: to, external_id: null },
});

test.each<[string, Step[], string]>([
  ['an order is created', [insert('order')], 'order.created'],
  ['an order is edited', [update('order', 'channel')], 'order.updated'],
  ['an order gets ready', [move('order', 'pending', 'ready')], 'order.status_changed order.updated'],
  [
    'an order is canceled',
    [move('order', 'ready', 'canceled')],
    'order.status_changed order.updated order.cancelled',
  ],
  [
    'an order is closed',
    [move('order', 'ready', 'closed')],
    'order.status_changed order.updated order.completed',
  ],
  [
    'an order is closed on two moves at once',
    [move('order', 'pending', 'ready'), move('order', 'ready', 'closed')],
    'order.status_changed order.updated order.completed',
  ],
  ['an order is created and edited', [insert('order'), update('order', 'items')], 'order.created'],
  [
    'an order is created and gets ready',
    [insert('order'), move('order', 'pending', 'ready')],
    'order.created order.status_changed',
  ],
  ['an order is created and removed', [insert('order'), remove('order')], ''],
  ['an order is removed', [remove('order')], ''],
  ['a payment is created', [insert('payment')], 'payment.created'],
  ['a payment is corrected', [update('payment', 'amount')], 'payment.updated'],
  ['a payment is completed', [move('payment', 'pending', 'completed')], 'payment.updated payment.completed'],
  ['a payment is rejected', [move('payment', 'pending', 'rejected')], 'payment.updated payment.rejected'],
  [
    'a payment is created and completed',
    [insert('payment'), move('payment', 'pending', 'completed')],
    'payment.created payment.completed',
  ],
  ['a product is created', [insert('product')], 'product.created catalog.updated'],
  [
    'a product is created with links and stock',
    [insert('product'), { ...insert('product_categories'), resourceId: 'product' }, insert('stock')],
    'product.created stock.updated catalog.updated',
  ],
  ['a product is described', [update('product', 'description', 'image_url')], 'product.updated'],
  ['a product is renamed', [inCatalog(update('product', 'name'))], 'product.updated catalog.updated'],
  [
    'a product changes its categories',
    [inCatalog(insert('product_categories')), inCatalog(remove('product_categories'))],
    'product.updated catalog.updated',
  ],
  [
    'a product is removed with all it had',
    [
      remove('product', { external_id: 'X' }),
      { ...remove('product_categories'), resourceId: 'product' },
      { ...remove('stock'), resourceId: 'product' },
      remove('subselection'),
    ],
    'product.deleted catalog.updated',
  ],
  ['a product is created and removed', [insert('product'), remove('product')], ''],
  [
    'a product is replaced under its id',
    [remove('product'), insert('product')],
    'product.updated catalog.updated',
  ],
  ['stock is counted twice', [update('stock', 'quantity'), update('stock', 'quantity')], 'stock.updated'],
  ['a stock record is made and removed', [insert('stock'), remove('stock')], ''],
  ['a category is renamed', [inCatalog(update('category', 'name'))], 'catalog.updated'],
  ['a category gets another image', [update('category', 'image_url')], 'catalog.updated'],
  ['a category is made and removed', [insert('category'), remove('category')], ''],
  [
    'a subselection and its item change',
    [inCatalog(update('subselection')), inCatalog(update('subselection_item'))],
    'catalog.updated',
  ],
  ['the catalog is published', [{ resource: 'catalog', operation: 'publish' }], 'catalog.updated'],
  ['a turn is opened', [insert('turn')], 'turn.open'],
  ['a turn is corrected', [update('turn', 'started_at')], 'turn.updated'],
  [
    'a turn is closed and settled',
    [move('turn', 'open', 'closed'), insert('settlement')],
    'turn.updated turn.closed settlement.created',
  ],
  ['a sync job begins', [move('sync_job', 'queued', 'processing')], ''],
  ['a sync job completes', [move('sync_job', 'processing', 'completed')], 'sync.completed'],
  ['a sync job fails', [move('sync_job', 'processing', 'failed')], 'sync.failed'],
  [
    'an endpoint is tested',
    [{ resource: 'webhook_endpoint', operation: 'test', after: { event_id: 'promised' } }],
    'webhook.test',
  ],
])('when %s', (_, steps, expected) => {
  expect(types(...steps).join(' ')).toBe(expected);
});

describe('a plan', () => {
  test('shows the move from where the transaction found the order to where it left it', () => {
    const [unit] = planEvents(
      transaction(
        { ...move('order', 'pending', 'ready'), before: { status: 'pending', external_id: 'PO-1' } },
        { ...move('order', 'ready', 'closed'), after: { status: 'closed', external_id: 'PO-1' } },
      ),
    );
    expect(unit?.events[0]?.data).toEqual({
      value: { id: 'order', previous_status: 'pending', status: 'closed', external_id: 'PO-1' },
    });
  });

  test('keeps transactions apart, one catalog.updated each', () => {
    const changes = [1, 2].flatMap(() => transaction(inCatalog(update('product', 'name'))));
    expect(planEvents(changes).flatMap(({ events }) => events.map(({ type }) => type))).toEqual([
      'product.updated',
      'catalog.updated',
      'product.updated',
      'catalog.updated',
    ]);
  });

  test('publishes nothing of a deleted location, yet names its changes', () => {
    const changes = transaction({ ...insert('order'), located: false });
    expect(planEvents(changes)).toMatchObject([{ events: [], rows: [changes[0]?.row] }]);
  });

  test('reports a resource it does not know', () => {
    expect(planEvents(transaction(insert('robot')))).toMatchObject([{ problem: 'unknown resource robot' }]);
  });

  test('gives a test event the id and the endpoint it was promised for', () => {
    const [unit] = planEvents(
      transaction({ resource: 'webhook_endpoint', operation: 'test', after: { event_id: 'promised' } }),
    );
    expect(unit?.events).toMatchObject([{ eventId: 'promised', endpointId: 'webhook_endpoint' }]);
  });
});

test('every event type is made by some rule', () => {
  const everything = [
    ...transaction(insert('order'), insert('payment'), insert('product'), insert('stock'), insert('turn')),
    ...transaction(move('order', 'ready', 'closed'), move('payment', 'pending', 'completed')),
    ...transaction(move('order', 'ready', 'canceled'), move('payment', 'pending', 'rejected')),
    ...transaction(
      inCatalog(update('product', 'name')),
      move('turn', 'open', 'closed'),
      insert('settlement'),
    ),
    ...transaction(remove('product'), move('sync_job', 'processing', 'completed')),
    ...plainKinds.flatMap((kind) => [
      ...transaction(insert(kind)),
      ...transaction(update(kind, 'name')),
      ...transaction(remove(kind)),
    ]),
    ...transaction(update('location', 'location')),
    ...transaction(move('sync_job', 'processing', 'failed'), {
      resource: 'webhook_endpoint',
      operation: 'test',
      after: { event_id: 'promised' },
    }),
  ];
  const made = new Set(planEvents(everything).flatMap(({ events }) => events.map(({ type }) => type)));
  expect([...made].sort()).toEqual([...eventTypes].sort());
});
