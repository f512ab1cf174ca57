import { again, type Database, isId, olderTransactionsEnd, repeat, type Transaction } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { notFound, unavailable } from '../../errors.ts';
import {
  areClaimed,
  type Erasure,
  eraseAnswers,
  eraseCopies,
  eraseDeed,
  eraseOrder,
  findErased,
  holdPublishing,
  readClaims,
} from './erase.statements.ts';

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
 * `resource_not_found`, and 503 while older transactions or deliveries do not end.
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
  onProgress(0, 4, 'the order');
  const own = await database.transaction(erasing, (tx) => erase(tx, eraseOrder, [location_id, orderId]));
  onProgress(1, 4, 'waiting for older transactions');
  // A reader of the order before it, as the relay, has written its copy by then.
  if (!(await olderTransactionsEnd(database, patienceMs)))
    throw unavailable('temporarily_unavailable', 'Older transactions do not end; erase the order again.');
  onProgress(2, 4, 'its copies');
  const copies = await database.transaction(erasing, async (tx) => {
    await tx.run(holdPublishing, [location_id]);
    return erase(tx, eraseCopies, [location_id, orderId]);
  });
  onProgress(3, 4, 'waiting for deliveries');
  // What was claimed before may carry the old text, and its answer is written when it comes.
  if (!(await claimsEnd(database, location_id, orderId)))
    throw unavailable(
      'temporarily_unavailable',
      'Deliveries of its events do not end; erase the order again.',
    );
  return database.transaction(erasing, async (tx) => {
    const answers = await erase(tx, eraseAnswers, [location_id, orderId]);
    const rows = { ...own, ...copies, ...answers };
    auditAs(tx, { kind: 'command_line', locationId: location_id }, 'orders.erase', orderId, {
      before: null,
      after: rows,
    });
    return { location_id, order_id: orderId, rows };
  });
}

/** Resolves once the deliveries of its events that are claimed now have ended; to false when one has not in time. */
async function claimsEnd(database: Database, locationId: string, orderId: string): Promise<boolean> {
  const claims = await database.run(readClaims, [locationId, orderId]);
  const until = performance.now() + patienceMs;
  const values = [locationId, claims.map(({ id }) => id), claims.map((claim) => claim.until)];
  return repeat(async () => {
    const [now] = await database.run(areClaimed, values);
    if (now?.claimed === false) return true;
    return performance.now() > until ? false : again(100);
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
