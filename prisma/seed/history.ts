import { newId, type PrismaTransaction } from '@comanda/db';
import type { SeededProduct } from './catalog.ts';

const hour = 60 * 60 * 1000;

/** The shifts of the last five days: how long ago they began and ended, and how many orders they served. */
const shifts = [
  { startedAgo: 99 * hour, endedAgo: 91 * hour, orders: 7, turn: false },
  { startedAgo: 75 * hour, endedAgo: 67 * hour, orders: 8, turn: false },
  { startedAgo: 51 * hour, endedAgo: 43 * hour, orders: 10, turn: true },
  { startedAgo: 27 * hour, endedAgo: 19 * hour, orders: 12, turn: true },
  { startedAgo: 3 * hour, endedAgo: 0, orders: 9, turn: true },
] as const;

const channels = ['counter', 'table', 'delivery', 'web'] as const;

interface Method {
  id: string;
  type: 'cash' | 'card' | 'qr';
}

/** Writes a few dozen orders with their payments, two closed turns with settlements, and an open turn. */
export async function seedHistory(
  tx: PrismaTransaction,
  locationId: string,
  products: SeededProduct[],
  methods: Method[],
  now: Date,
): Promise<void> {
  const dice = seededDice(20_260_131);
  let number = 0;
  let batchNumber = 0;
  for (const shift of shifts) {
    const startedAt = new Date(now.getTime() - shift.startedAgo);
    const isOpen = shift.endedAgo === 0;
    const endedAt = new Date(now.getTime() - shift.endedAgo);
    const turnId = shift.turn ? newId(startedAt.getTime()) : null;
    if (turnId !== null) {
      batchNumber++;
      await tx.turn.create({
        data: {
          locationId,
          id: turnId,
          batchNumber,
          startedAt,
          ...(isOpen ? { status: 'open' } : { status: 'closed', endedAt }),
        },
      });
    }
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
      return orderData({ locationId, number: ++number, createdAt, state, turnId, products, methods, dice });
    });
    await tx.order.createMany({ data: orders.map(({ order }) => order) });
    await tx.orderItem.createMany({ data: orders.flatMap(({ items }) => items) });
    await tx.payment.createMany({ data: orders.map(({ payment }) => payment) });
    if (turnId !== null && !isOpen) {
      await tx.settlement.create({
        data: settlementData({ locationId, turnId, batchNumber, startedAt, endedAt, orders, methods }),
      });
    }
  }
  await tx.locationCounter.createMany({
    data: [
      { locationId, name: 'order', value: number },
      { locationId, name: 'batch', value: batchNumber },
    ],
  });
}

type OrderState = 'pending' | 'ready' | 'closed' | 'canceled';

function orderData(given: {
  locationId: string;
  number: number;
  createdAt: Date;
  state: OrderState;
  turnId: string | null;
  products: SeededProduct[];
  methods: Method[];
  dice: (sides: number) => number;
}) {
  const { locationId, number, createdAt, state, turnId, products, methods, dice } = given;
  const method = pick(methods, dice);
  const channel = pick(channels, dice);
  const orderId = newId(createdAt.getTime());
  const items = Array.from({ length: 1 + dice(4) }, (_, index) => {
    const product = pick(products, dice);
    const chosen = product.choices.flatMap(({ min, items: options }) => options.slice(0, min));
    const unitPrice = product.price;
    const quantity = 1 + dice(3);
    return {
      locationId,
      orderId,
      position: index + 1,
      productId: product.id,
      name: product.name,
      unitPrice,
      quantity,
      total: quantity * (unitPrice + chosen.reduce((sum, option) => sum + option.price, 0)),
      selections: chosen.map(({ id, name, price }) => ({
        item_id: id,
        quantity: 1,
        name,
        price,
        stock_taken: false,
      })),
    };
  });
  const total = items.reduce((sum, item) => sum + item.total, 0);
  const payment = {
    locationId,
    id: newId(createdAt.getTime()),
    orderId,
    paymentMethodId: method.id,
    amount: total,
    status: ({ pending: 'pending', ready: 'pending', closed: 'completed', canceled: 'rejected' } as const)[
      state
    ],
    createdAt,
  };
  const order = {
    locationId,
    id: orderId,
    number,
    externalId: `demo-${String(number).padStart(4, '0')}`,
    status: state,
    total,
    channel,
    isTakeAway: channel === 'delivery' || channel === 'web',
    identifier: channel === 'table' ? `Table ${1 + dice(14)}` : '',
    createdAt,
    paymentMethodId: method.id,
    turnId,
    ...(state === 'canceled' && { cancelReason: 'The guest changed their mind' }),
  };
  return { order, items, payment, methodType: method.type };
}

function settlementData(given: {
  locationId: string;
  turnId: string;
  batchNumber: number;
  startedAt: Date;
  endedAt: Date;
  orders: ReturnType<typeof orderData>[];
  methods: Method[];
}) {
  const { orders, methods, ...turn } = given;
  const paid = orders.filter(({ payment }) => payment.status === 'completed');
  const collected = paid.reduce((sum, { order }) => sum + order.total, 0);
  const count = (...states: OrderState[]) =>
    orders.filter(({ order }) => states.includes(order.status)).length;
  return {
    id: newId(turn.endedAt.getTime()),
    ...turn,
    createdAt: turn.endedAt,
    totalOrders: orders.length,
    totalCollected: collected,
    averageTicket: paid.length === 0 ? 0 : Math.round((collected * 100) / paid.length) / 100,
    payments: methods
      .map(({ type }) => paid.filter(({ methodType }) => methodType === type))
      .flatMap((group) => {
        const [first] = group;
        const amount = group.reduce((sum, { order }) => sum + order.total, 0);
        return first === undefined ? [] : [{ method: first.methodType, count: group.length, amount }];
      }),
    orders: { closed: count('closed'), canceled: count('canceled'), open: count('pending', 'ready') },
  };
}

function pick<T>(values: readonly T[], dice: (sides: number) => number): T {
  const value = values[dice(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

// The same demo on every machine (a linear congruential generator; nothing here needs to be secret).
function seededDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * sides);
  };
}
