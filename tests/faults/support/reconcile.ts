import { type Books, readBooks } from './books.ts';
import { digestOf } from './digest.ts';
import { groupBy } from './grouping.ts';
import { countEntries, type Ledger, type OrderEntry } from './ledger.ts';
import type { Shop } from './shop.ts';

/** The ledger's content compared with the database's. All but the first four must be nothing. */
export interface Reconciliation {
  /** Writes of every kind that were answered with success. */
  acknowledged: number;
  /** Of these, those that are in the database as they were acknowledged. */
  found: number;
  /** Writes without an answer that turn out to be there, and not to be there. */
  unknownFound: number;
  unknownAbsent: number;
  /** Acknowledged and not there, or there with other contents. */
  lost: string[];
  /** There more often than sent, or there although refused. */
  duplicated: string[];
  /** There in part. */
  half: string[];
  /** Any other difference, and the failures of the load itself. */
  faults: string[];
}

/** Compares. While calls are under way it would see them as unknown; better stop or hold the load first. */
export async function reconcile(
  databaseUrl: string,
  ledger: Ledger,
  shops: readonly Shop[],
): Promise<Reconciliation> {
  const books = await readBooks(
    databaseUrl,
    shops.map(({ locationId }) => locationId),
  );
  const result: Reconciliation = {
    ...{ acknowledged: countEntries(ledger, 'acknowledged'), found: 0, unknownFound: 0, unknownAbsent: 0 },
    ...{ lost: [], duplicated: [], half: [], faults: [...ledger.faults] },
  };
  checkOrders(ledger, books, result);
  for (const shop of shops) checkStock(shop, books, result);
  checkRegisters(ledger, books, result);
  checkJobs(ledger, books, result);
  return result;
}

/** Everything that must be nothing, one line each. */
export function complaintsOf({ lost, duplicated, half, faults }: Reconciliation): string[] {
  const named = { lost, duplicated, half, fault: faults };
  return Object.entries(named).flatMap(([name, lines]) => lines.map((line) => `${name}: ${line}`));
}

type BookedOrder = Books['orders'][number];

function checkOrders(ledger: Ledger, books: Books, result: Reconciliation): void {
  const byKey = groupBy(books.orders, ({ identifier }) => identifier);
  for (const entry of ledger.orders) {
    const [order, ...more] = byKey.get(entry.key) ?? [];
    byKey.delete(entry.key);
    if (more.length > 0) result.duplicated.push(`order ${entry.key} exists ${more.length + 1} times`);
    if (order === undefined) {
      if (entry.state === 'acknowledged') result.lost.push(`order ${entry.key}`);
      if (entry.state === 'unknown') result.unknownAbsent += 1;
      continue;
    }
    if (entry.state === 'refused') result.duplicated.push(`order ${entry.key} was refused and is there`);
    result.half.push(...missingParts(entry, order).map((part) => `order ${entry.key}: ${part}`));
    if (entry.state === 'unknown') result.unknownFound += 1;
    if (entry.state === 'acknowledged') checkAnswer(entry, order, result);
    checkMoves(entry, order, result);
  }
  for (const key of byKey.keys()) result.duplicated.push(`order ${key} was never sent`);
  for (const key of books.orphanKeys) result.half.push(`idempotency key ${key} without its order`);
  for (const [locationId, orders] of groupBy(books.orders, (order) => order.locationId)) {
    const gap = orders.findIndex(({ number }, index) => number !== index + 1);
    if (gap >= 0) result.faults.push(`location ${locationId} has no order number ${gap + 1}`);
  }
}

function missingParts(entry: OrderEntry, order: BookedOrder): string[] {
  const cents = entry.lines.reduce((sum, line) => sum + line.cents * line.quantity, 0);
  const [payment, secondPayment] = order.payments;
  const [stored, secondKey] = order.keys;
  const shown = (lines: { productId: string; quantity: number }[]) =>
    lines.map(({ productId, quantity }) => `${productId} ${quantity}`).join();
  const faults = {
    items: shown(order.items) !== shown(entry.lines),
    total: Math.round(Number(order.total) * 100) !== cents,
    external_id: order.externalId !== entry.externalId,
    payment: payment === undefined || secondPayment !== undefined || payment.amount !== order.total,
    'payment status':
      (order.status === 'canceled') !== (payment?.status === 'rejected') || payment?.status === 'completed',
    'idempotency key': stored?.key !== entry.key || secondKey !== undefined,
    'captured creation': order.captured + order.created !== 1,
  };
  return Object.entries(faults).flatMap(([part, broken]) => (broken ? part : []));
}

function checkAnswer({ key, answer }: OrderEntry, order: BookedOrder, result: Reconciliation): void {
  const [stored] = order.keys;
  if (answer?.id !== order.id || answer.number !== order.number)
    result.lost.push(`order ${key} was acknowledged as ${answer?.id}, and is ${order.id}`);
  else if (stored !== undefined && answer.digest !== digestOf(`{"data":${stored.response}}`))
    result.lost.push(`order ${key} was answered other than is stored`);
  else result.found += 1;
}

function checkMoves({ key, moves }: OrderEntry, order: BookedOrder, result: Reconciliation): void {
  const unseen = order.moves.map(({ to }) => to);
  for (const { to, state } of moves) {
    const index = unseen.indexOf(to);
    if (index >= 0) unseen.splice(index, 1);
    if (state === 'acknowledged' && index < 0) result.lost.push(`order ${key}: its move to ${to}`);
    if (state === 'acknowledged' && index >= 0) result.found += 1;
    if (state === 'refused' && index >= 0) result.duplicated.push(`order ${key}: the refused move to ${to}`);
    if (state === 'unknown') result[index < 0 ? 'unknownAbsent' : 'unknownFound'] += 1;
  }
  if (unseen.length > 0) result.duplicated.push(`order ${key}: moved to ${unseen.join()} unasked`);
  const chain = ['pending', ...order.moves.map(({ to }) => to)];
  if (order.moves.some(({ from }, index) => from !== chain[index]) || chain.at(-1) !== order.status)
    result.half.push(`order ${key} is at ${order.status} after ${chain.join()}`);
}

/** The initial stock, less the amounts of orders that are not canceled. */
function checkStock({ locationId, products }: Shop, books: Books, result: Reconciliation): void {
  const taken = new Map<string, number>();
  for (const { locationId: at, status, items } of books.orders)
    if (at === locationId && status !== 'canceled')
      for (const { productId, quantity, stockTaken } of items)
        if (stockTaken) taken.set(productId, (taken.get(productId) ?? 0) + quantity);
  for (const { id, stock } of products) {
    const left = books.products.find((product) => product.id === id)?.stock ?? null;
    const expected = stock === undefined ? null : stock - (taken.get(id) ?? 0);
    if ((left === null ? null : Number(left)) !== expected)
      result.half.push(`product ${id} has a stock of ${left}, which should be ${expected}`);
  }
}

function checkRegisters({ registers }: Ledger, { products }: Books, result: Reconciliation): void {
  const byId = new Map(products.map((product) => [product.id, product]));
  for (const { kind, productId, settings } of registers) {
    const product = byId.get(productId);
    const value = Number(kind === 'name' ? product?.name.replace('Register ', '') : product?.stock);
    const last = settings.findLast(({ state }) => state === 'acknowledged')?.value ?? 0;
    const acknowledged = settings.filter(({ state }) => state === 'acknowledged').length;
    const open = settings.filter((setting) => setting.state === 'unknown' && setting.value > last);
    if (value === last) result.unknownAbsent += open.length;
    else if (open.some((setting) => setting.value === value)) result.unknownFound += open.length;
    else result.lost.push(`${kind} of ${productId} is ${value}, was set to ${last}`);
    if (value >= last) result.found += acknowledged;
  }
}

function checkJobs(ledger: Ledger, books: Books, result: Reconciliation): void {
  const jobs = new Map(books.jobs.map((job) => [job.id, job]));
  const names = groupBy(books.products, ({ externalId }) => externalId?.replace(/-\d+$/, '') ?? '');
  for (const { key, id, count, state } of ledger.jobs) {
    const made = names.get(key)?.length ?? 0;
    if (state === 'refused' && made > 0) result.duplicated.push(`sync job ${key} was refused and applied`);
    if (state === 'unknown') result[made > 0 ? 'unknownFound' : 'unknownAbsent'] += 1;
    if (state !== 'acknowledged') continue;
    const job = id === undefined ? undefined : jobs.get(id);
    if (job === undefined || job.total !== count) result.lost.push(`sync job ${key}`);
    else if (job.succeeded !== made || job.processed !== made || job.failed > 0)
      result.half.push(`sync job ${key} says ${job.succeeded} of ${job.processed}, and ${made} are there`);
    else result.found += 1;
  }
  const sent = new Set(ledger.jobs.flatMap(({ id }) => id ?? []));
  const open = ledger.jobs.filter(({ state }) => state === 'unknown').length;
  const extra = books.jobs.filter(({ id }) => !sent.has(id)).length;
  if (extra > open) result.duplicated.push(`${extra} sync jobs that no caller asked for, ${open} unanswered`);
}
