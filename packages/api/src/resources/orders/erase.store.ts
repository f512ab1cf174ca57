import { isId, olderTransactionsEnd, type SqlDatabase, type Transaction } from '@comanda/db';
import { notFound, unavailable } from '../../errors.ts';
import { auditAs } from '../../request/audit.ts';
import { type Erasure, eraseCopies, eraseDeed, eraseOrder, findErased } from './erase.statements.ts';

const patienceMs = 60_000;

/** How many rows of which table were changed. */
export interface Erased {
  location_id: string;
  order_id: string;
  rows: Record<string, number>;
}

/**
 * Erases what a person left in an order: identifier, comments, the reason of a cancellation, and their copies in events, in
 * what consumers answered, in answers that are kept for repeats, and in the audit. Number, states, money and counts stay. The
 * order is told as updated. `told` hears which step is under way. Safe to repeat. Throws `resource_not_found`, and 503 while older transactions do not end.
 */
export async function eraseOrderOf(
  database: SqlDatabase,
  orderId: string,
  told: (done: number, of: number, what: string) => void = () => {},
): Promise<Erased> {
  const [found] = await database.run(findErased, [isId(orderId) ? orderId : null]);
  if (found === undefined) throw notFound('Order');
  const { location_id } = found;
  const erasing = { statement: eraseDeed, values: [] };
  told(0, 3, 'the order');
  const own = await database.transaction(erasing, (tx) => erase(tx, eraseOrder, [location_id, orderId]));
  told(1, 3, 'waiting for older transactions');
  // Who read the order before, as the relay, has written its copy by then.
  if (!(await olderTransactionsEnd(database, patienceMs)))
    throw unavailable('temporarily_unavailable', 'Older transactions do not end; erase the order again.');
  told(2, 3, 'its copies');
  return database.transaction(erasing, async (tx) => {
    const rows = { ...own, ...(await erase(tx, eraseCopies, [location_id, orderId])) };
    auditAs(tx, { kind: 'command_line', locationId: location_id }, 'orders.erase', orderId, {
      before: null,
      after: rows,
    });
    return { location_id, order_id: orderId, rows };
  });
}

async function erase(
  tx: Transaction,
  what: Readonly<Record<string, Erasure>>,
  values: readonly string[],
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const [table, erasure] of Object.entries(what)) {
    const [changed] = await tx.run(erasure, values);
    rows[table] = changed?.count ?? 0;
  }
  return rows;
}
