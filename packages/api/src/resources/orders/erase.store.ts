import { type Database, isId, olderTransactionsEnd, type Transaction } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { notFound, unavailable } from '../../errors.ts';
import { type Erasure, eraseCopies, eraseDeed, eraseOrder, findErased } from './erase.statements.ts';

const patienceMs = 60_000;

/** How many rows of which table were changed. */
export interface Erased {
  location_id: string;
  order_id: string;
  rows: Record<string, number>;
}

/**
 * Erases a person's text in an order: identifier, comments, the reason of a cancellation, and their copies in events,
 * in answers of consumers, in answers that are kept for repeats, and in the audit. Number, states, money and counts
 * stay. The order is published as updated. `onProgress` is called with the step under way. Safe to repeat. Throws
 * `resource_not_found`, and 503 while older transactions do not end.
 */
export async function eraseOrderOf(
  database: Database,
  orderId: string,
  onProgress: (done: number, of: number, what: string) => void = () => {},
): Promise<Erased> {
  const [found] = await database.run(findErased, [isId(orderId) ? orderId : null]);
  if (found === undefined) throw notFound('Order');
  const { location_id } = found;
  const erasing = { statement: eraseDeed, values: [] };
  onProgress(0, 3, 'the order');
  const own = await database.transaction(erasing, (tx) => erase(tx, eraseOrder, [location_id, orderId]));
  onProgress(1, 3, 'waiting for older transactions');
  // A reader of the order before it, as the relay, has written its copy by then.
  if (!(await olderTransactionsEnd(database, patienceMs)))
    throw unavailable('temporarily_unavailable', 'Older transactions do not end; erase the order again.');
  onProgress(2, 3, 'its copies');
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
