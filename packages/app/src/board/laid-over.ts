import type { Held } from './held-moves.ts';
import type { BoardOrder, BoardOrders, Column, Status } from './orders.ts';

/** Every column, from left to right. */
export const columns: readonly Column[] = ['pending', 'ready', 'closed'];

/** Where an order is on a board; undefined where the board does not show it. */
export const statusIn = (board: BoardOrders, id: string): Status | undefined =>
  columns.find((column) => board.columns[column].some((order) => order.id === id));

/** The board as it is shown: moves that are held laid over it, cards that keep their place in it, by number. */
export function laidOver(board: BoardOrders, { kept, unsent, sent }: Held): BoardOrders {
  const all = columns.flatMap((column) => board.columns[column]);
  const orders = new Map(all.map((order) => [order.id, order]));
  const ahead: BoardOrder[] = [];
  for (const [id, { order, to }] of [...sent, ...unsent]) {
    const known = orders.get(id);
    if (kept.has(id) || known?.status !== order.status) continue;
    orders.delete(id);
    ahead.unshift({ ...known, status: to });
  }
  for (const [id, { order }] of kept) orders.set(id, { ...order, ...itemsOf(orders.get(id)) });
  const at = (status: Column) => [...ahead, ...orders.values()].filter((order) => order.status === status);
  const byNumber = (one: BoardOrder, other: BoardOrder) => one.number - other.number;
  return {
    ...board,
    columns: {
      pending: at('pending').sort(byNumber),
      ready: at('ready').sort(byNumber),
      closed: at('closed'),
    },
  };
}

// The names of what was chosen may have come after the press.
const itemsOf = (order: BoardOrder | undefined) => (order?.items === undefined ? {} : { items: order.items });
