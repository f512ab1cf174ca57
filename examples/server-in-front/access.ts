import type { FrontAccess } from '@comanda/client/front';

/** The calls of the board of the kitchen. Its key: orders:read, orders:write, events:read. */
const board: FrontAccess = {
  procedures: ['orders.list', 'orders.get', 'orders.updateStatus'],
  events: ['order.created', 'order.updated', 'order.status_changed'],
};

/** The sessions of the application: replace it with your own store. */
const sessions = new Set(process.env.SESSIONS?.split(','));

/** The permissions of the session behind a `Cookie` header; `undefined` where there is no signed-in user. */
export async function accessOf(cookie: string | null | undefined): Promise<FrontAccess | undefined> {
  const session = /(?:^|; )session=([\w-]+)/.exec(cookie ?? '')?.[1];
  return session !== undefined && sessions.has(session) ? board : undefined;
}
