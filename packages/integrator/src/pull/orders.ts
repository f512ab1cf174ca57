import { type Service, ServiceError } from '../service.ts';
import type { Terminal } from '../terminal.ts';
import type { ProductNames, PulledOrder } from './columns.ts';

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
      const query = { include: 'details,items', limit: pageSize, ...begin };
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

/**
 * The names of products at the caller's side, as they are now: of those that the orders name and that still exist. Undefined
 * when the key may not read products.
 */
export async function namesOfProducts(
  api: Service,
  orders: readonly PulledOrder[],
): Promise<Map<string, ProductNames> | undefined> {
  const names = new Map<string, ProductNames>();
  const wanted = new Set(orders.flatMap(({ items }) => items.map(({ product_id: id }) => id)));
  try {
    for (let offset = 0; wanted.size > 0; ) {
      const page = (await api.call({ path: '/v2/products', query: { limit: pageSize, offset } })) as Page<
        ProductNames & { id: string }
      >;
      for (const { id, external_id, sku } of page.data)
        if (wanted.delete(id))
          names.set(id, {
            ...(external_id !== undefined && { external_id }),
            ...(sku !== undefined && { sku }),
          });
      offset = page.pagination.offset + page.pagination.limit;
      if (offset >= page.pagination.total) break;
    }
    return names;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return undefined;
    throw error;
  }
}
