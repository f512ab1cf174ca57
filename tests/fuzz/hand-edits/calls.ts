import { batches, calls as walkCalls } from '../../concurrency/walk/calls.ts';
import type { EditedGround } from './ground.ts';

/** The calls of callers meanwhile, one at a time. */
export const calls: readonly ((ground: EditedGround) => Promise<unknown>)[] = [
  ...walkCalls,
  ...walkCalls,
  ...batches,
  orderAnyhow,
  orderAnyhow,
  cancelAny,
  cancelAny,
  payAny,
  (ground) => ground.mutate('turns.open', {}),
  (ground) => ground.mutate('turns.close', {}),
  publishAny,
];

async function one<Row>(
  { sql, chance }: EditedGround,
  table: string,
  where = 'true',
): Promise<Row | undefined> {
  const rows = await sql<Row>(
    `select * from ${table} where location_id = $1 and ${where} order by 2 limit 40`,
  );
  return rows.length === 0 ? undefined : chance.pick(rows);
}

/** Orders any products there, with an option, as far as the rules permit. */
async function orderAnyhow(ground: EditedGround): Promise<void> {
  const { chance } = ground;
  const method = await one<{ id: string }>(ground, 'payment_methods', 'enabled');
  const choice = await one<{ product_id: string; id: string }>(ground, 'subselections');
  const item = await one<{ id: string }>(
    ground,
    'subselection_items',
    `subselection_id = '${choice?.id ?? ground.locationId}'`,
  );
  const product = await one<{ id: string }>(ground, 'products');
  const id = choice !== undefined && chance.percent(60) ? choice.product_id : product?.id;
  if (method === undefined || id === undefined) return;
  const line = { product_id: id, quantity: chance.pick([1, 2, 0.125]) };
  const options =
    item !== undefined && id === choice?.product_id
      ? { subselections: [{ item_id: item.id, quantity: 1 }] }
      : {};
  const body = {
    is_take_away: true,
    identifier: '',
    payment_method_id: method.id,
    items: [{ ...line, ...options }],
  };
  await ground.call('POST /v2/orders', { ...body, external_id: `a-${ground.next()}` }, 201, 409, 422);
}

async function cancelAny(ground: EditedGround): Promise<void> {
  const order = await one<{ id: string }>(ground, 'orders', `status in ('pending', 'ready')`);
  if (order !== undefined)
    await ground.call(`POST /v2/orders/${order.id}/cancel`, { reason: 'fuzz' }, 200, 409);
}

async function payAny(ground: EditedGround): Promise<void> {
  const payment = await one<{ id: string }>(ground, 'payments', `status = 'pending'`);
  if (payment !== undefined) await ground.mutate('payments.complete', { id: payment.id });
}

async function publishAny(ground: EditedGround): Promise<void> {
  const menu = await one<{ id: string }>(ground, 'menus');
  if (menu !== undefined) await ground.mutate('menus.publish', { id: menu.id });
}
