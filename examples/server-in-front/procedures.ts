/** What the board of the kitchen calls, and nothing else. A key for it: orders:read, orders:write, events:read. */
export const allowed = ['orders.list', 'orders.get', 'orders.updateStatus', 'events.list'];
