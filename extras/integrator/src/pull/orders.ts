import type { Service } from '../service.ts';
import type { Terminal } from '../terminal.ts';
import type { PulledOrder } from './columns.ts';

/** Where to begin: at a moment, or where the last pull ended. */
export type Beginning = { updated_since: string } | { cursor: string };

/** The orders that changed, each as it is now, and where to go on. */
export interface Pulled {
  orders: readonly PulledOrder[];
  cursor: string | undefined;
}

interface Page<Entry> {
  data: Entry[];
  pagination: { limit: number; offset: number; total: number; next?: string };
}

const pageSize = 200;

/** Reads every order that changed, page by page. One that changes meanwhile comes twice, and counts as it is at last. */
export async function pullOrders(api: Service, terminal: Terminal, from: Beginning): Promise<Pulled> {
  const orders = new Map<string, PulledOrder>();
  let begin: Beginning = from;
  let cursor: string | undefined;
  try {
    for (;;) {
      const query = { include: 'details,items,snapshot', limit: pageSize, ...begin };
      const page = (await api.call({ path: '/v2/orders', query })) as Page<PulledOrder>;
      for (const order of page.data) {
        orders.delete(order.id);
        orders.set(order.id, order);
      }
      terminal.progress(`${orders.size} orders read`);
      cursor = page.pagination.next;
      if (cursor === undefined || page.data.length < page.pagination.limit) break;
      begin = { cursor };
    }
  } finally {
    terminal.progressEnds();
  }
  return { orders: [...orders.values()], cursor };
}
