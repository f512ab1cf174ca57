import type { Hand } from '../support/by-hand.ts';
import type { OrderKitchen } from '../support/orders.ts';

type Row = Record<string, unknown>;

/** The steps of a person who writes an order: rows of `orders` and `order_items`, in one transaction. */
export interface HandOrders {
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Inserts a row, and returns one column of it. */
  insert(table: string, row: Row, returning?: string): Promise<unknown>;
  /** Inserts an order with what a person must give, and `more`; its id. */
  insertOrder(more?: Row): Promise<string>;
  /** Inserts a line of two flat whites unless said. */
  insertLine(order: string, more?: Row): Promise<unknown>;
  /** Inserts an order and its lines in one transaction, of two flat whites unless said; its id. */
  insertWhole(order?: Row, ...lines: Row[]): Promise<string>;
  /** How many orders the location has counted. */
  counted(): Promise<number>;
}

/** The orders of a person at a session of psql. */
export function useHandOrders(
  api: { readonly locationId: string },
  hand: Hand,
  kitchen: OrderKitchen,
): HandOrders {
  const inTransaction: HandOrders['inTransaction'] = async (work) => {
    await hand.sql('begin');
    try {
      const result = await work();
      await hand.sql('commit');
      return result;
    } catch (error) {
      await hand.sql('rollback');
      throw error;
    }
  };
  const insert: HandOrders['insert'] = async (table, row, returning = 'location_id') => {
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`);
    const [made] = await hand.sql(
      `insert into ${table} (${names.join(', ')}) values (${places.join(', ')}) returning ${returning}`,
      Object.values(row),
    );
    return made?.[returning];
  };
  const insertOrder: HandOrders['insertOrder'] = async (more = {}) => {
    const row = { location_id: api.locationId, payment_method_id: kitchen.paymentMethodId, ...more };
    return (await insert('orders', row, 'id')) as string;
  };
  const insertLine: HandOrders['insertLine'] = (order, more = {}) =>
    insert('order_items', {
      location_id: api.locationId,
      order_id: order,
      product_id: kitchen.productId,
      quantity: 2,
      ...more,
    });
  return {
    inTransaction,
    insert,
    insertOrder,
    insertLine,
    insertWhole: (order = {}, ...lines) =>
      inTransaction(async () => {
        const id = await insertOrder(order);
        for (const line of lines.length > 0 ? lines : [{}]) await insertLine(id, line);
        return id;
      }),
    counted: async () => {
      const [row] = await hand.sql<{ value: string }>`
        select coalesce(max(value), 0) as value from internal.location_counters where location_id = ${api.locationId} and name = 'order'`;
      return Number(row?.value);
    },
  };
}
