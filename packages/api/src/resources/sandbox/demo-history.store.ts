import type { Transaction } from '@comanda/db';
import { adjust } from '../orders/adjustments.rules.ts';
import { decimalText, scaled } from '../orders/decimals.rules.ts';
import { editOrder } from '../orders/edit.statements.ts';
import { carriedColumns } from '../orders/placing.store.ts';
import { carriedBy } from './demo-carried.rules.ts';
import type { IdOf, WrittenProduct } from './demo-catalog.store.ts';
import { beforeBooks, closeDemoTurn, countOn, insertDemo } from './statements.ts';

const hour = 60 * 60 * 1000;

/** The shifts of the last five days: how long ago they began and ended, and how many orders they served. */
const shifts = [
  { startedAgo: 99 * hour, endedAgo: 91 * hour, orders: 7, turn: false },
  { startedAgo: 75 * hour, endedAgo: 67 * hour, orders: 8, turn: false },
  { startedAgo: 51 * hour, endedAgo: 43 * hour, orders: 10, turn: true },
  { startedAgo: 27 * hour, endedAgo: 19 * hour, orders: 12, turn: true },
  { startedAgo: 3 * hour, endedAgo: 0, orders: 9, turn: true },
] as const;

/** How many orders there are. */
export const demoOrders = shifts.reduce((sum, { orders }) => sum + orders, 0);
const demoTurns = shifts.filter(({ turn }) => turn).length;

const channels = ['counter', 'table', 'delivery', 'web'] as const;

/**
 * Writes a few dozen orders with their payments, two closed turns with settlements, and an open turn. Numbers go on from
 * those that the location had.
 */
export async function writeHistory(
  tx: Transaction,
  locationId: string,
  products: readonly WrittenProduct[],
  methodIds: readonly string[],
  now: Date,
  idOf: IdOf,
): Promise<void> {
  const dice = sameDice(20_260_131);
  const count = async (name: string, by: number) =>
    (await tx.run(countOn, [locationId, name, by]))[0]?.before ?? 0;
  const before = { orders: await count('order', demoOrders), turns: await count('batch', demoTurns) };
  const write = (kind: keyof typeof insertDemo, rows: readonly object[]) =>
    tx.run(insertDemo[kind], [locationId, JSON.stringify(rows)]);
  let written = 0;
  let turns = 0;
  for (const shift of shifts) {
    const startedAt = new Date(now.getTime() - shift.startedAgo);
    const isOpen = shift.endedAgo === 0;
    const endedAt = new Date(now.getTime() - shift.endedAgo);
    const turnId = shift.turn ? idOf(`turn ${turns + 1}`, startedAt.getTime()) : null;
    if (turnId !== null)
      await write('turns', [{ id: turnId, batch_number: before.turns + ++turns, started_at: startedAt }]);
    const length = shift.startedAgo - shift.endedAgo;
    const orders = Array.from({ length: shift.orders }, (_, index) => {
      const createdAt = new Date(startedAt.getTime() + (length * (index + 0.5)) / shift.orders);
      const state =
        isOpen && index >= shift.orders - 4
          ? index % 2 === 0
            ? 'ready'
            : 'pending'
          : dice(12) === 0
            ? 'canceled'
            : 'closed';
      const place = ++written;
      const number = before.orders + place;
      return orderRows({ idOf, place, number, createdAt, state, turnId, products, methodIds, dice });
    });
    await write(
      'orders',
      orders.map(({ order }) => order),
    );
    await write(
      'lines',
      orders.flatMap(({ lines }) => lines),
    );
    // Payments made before there were turns belong to none.
    await tx.run(beforeBooks, [turnId === null]);
    await write(
      'payments',
      orders.map(({ payments }) => payments.first),
    );
    await write(
      'payments',
      orders.flatMap(({ payments }) => payments.later),
    );
    for (const { order } of orders.filter(({ order: { status } }) => status === 'pending').slice(0, 1))
      await tx.run(editOrder, [locationId, order.id, null, guestCalled]);
    // Postgres settles it.
    if (turnId !== null && !isOpen) await tx.run(closeDemoTurn, [locationId, turnId, endedAt]);
  }
}

/** An edit of an order: the guest called back. */
const guestCalled = {
  fields: carriedColumns({ note: 'Sauce on the side' }),
  difference: { fields: ['note'] },
};

type OrderState = 'pending' | 'ready' | 'closed' | 'canceled';

function orderRows(given: {
  idOf: IdOf;
  /** Among the orders of the demo, from 1: by it the order is found after each reset. */
  place: number;
  number: number;
  createdAt: Date;
  state: OrderState;
  turnId: string | null;
  products: readonly WrittenProduct[];
  methodIds: readonly string[];
  dice: (sides: number) => number;
}) {
  const { idOf, place, number, createdAt, state, turnId, products, methodIds, dice } = given;
  const external_id = `demo-${String(place).padStart(4, '0')}`;
  const payment_method_id = pick(methodIds, dice);
  const channel = pick(channels, dice);
  const order_id = idOf(external_id, createdAt.getTime());
  const lines = Array.from({ length: 1 + dice(4) }, (_, index) => {
    const product = pick(products, dice);
    const chosen = product.choices.flatMap(({ min, items: options }) => options.slice(0, min));
    const unit_price = product.price;
    const quantity = 1 + dice(3);
    return {
      order_id,
      position: index + 1,
      product_id: product.id,
      name: product.name,
      unit_price,
      quantity,
      total: quantity * (unit_price + chosen.reduce((sum, option) => sum + option.price, 0)),
      selections: chosen.map(({ id, name, price }) => ({
        item_id: id,
        quantity: 1,
        name,
        price,
        stock_taken: false,
      })),
    };
  });
  const { adjustments = [], ...carried } = carriedBy(channel, place, createdAt);
  const { applied, sum } = adjust(
    adjustments,
    new Map(lines.map((line) => [line.position, scaled(line.total, 2)])),
  );
  const total = lines.reduce((all, line) => all + line.total, 0) + Number(decimalText(sum, 2));
  const payment = {
    id: idOf(`payment of ${external_id}`, createdAt.getTime()),
    order_id,
    payment_method_id,
    amount: total,
    status: ({ pending: 'pending', ready: 'pending', closed: 'completed', canceled: 'rejected' } as const)[
      state
    ],
    created_at: createdAt,
  };
  // The card of some guests is refused, and they pay another way.
  const refused = {
    ...payment,
    id: idOf(`refused payment of ${external_id}`, createdAt.getTime()),
    payment_method_id: methodIds[1] ?? payment_method_id,
    status: 'rejected',
  };
  const isRefused = place % 15 === 14 && state !== 'canceled';
  const payments = isRefused ? { first: refused, later: [payment] } : { first: payment, later: [] };
  const order = {
    id: order_id,
    number,
    external_id,
    status: state,
    total,
    channel,
    is_take_away: channel === 'delivery' || channel === 'web',
    identifier: channel === 'table' ? `Table ${1 + dice(14)}` : '',
    created_at: createdAt,
    payment_method_id,
    turn_id: turnId,
    ...carriedColumns(carried),
    ...(applied.length > 0 && { adjustments: applied }),
    ...(state === 'canceled' && { cancel_reason: 'The guest changed their mind' }),
  };
  return { order, lines, payments };
}

function pick<T>(values: readonly T[], dice: (sides: number) => number): T {
  const value = values[dice(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

// The same demo on every machine (a linear congruential generator; nothing here needs to be secret).
function sameDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * sides);
  };
}
