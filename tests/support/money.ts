import { type Database, newId, statement } from '@comanda/db';
import { TRPCClientError } from '@trpc/client';
import { expect } from 'vitest';
import { prismaOf } from './prisma.ts';
import { waitFor } from './wait.ts';

/** A line of an order, in exact whole numbers. */
export interface RecordedLine {
  productId: string;
  /** Thousandths. */
  milli: bigint;
  /** Hundredths of the currency: the line's total. */
  cents: bigint;
  name?: string;
  /** Ten-thousandths of a percent. */
  taxRate?: bigint;
}

/** What changes the total of an order, in hundredths: below zero for a discount. */
export interface RecordedAdjustment {
  kind: 'discount' | 'service_charge' | 'tip' | 'delivery_fee';
  cents: bigint;
  /** From 1 on. */
  line?: number;
  /** Ten-thousandths of a percent. */
  taxRate?: bigint;
}

/** An order as a test records it. */
export interface RecordedOrder {
  id: string;
  at: Date;
  status: 'pending' | 'ready' | 'closed' | 'canceled';
  paid: 'pending' | 'completed' | 'rejected';
  methodId: string;
  channel: string | null;
  lines: RecordedLine[];
  adjustments?: RecordedAdjustment[];
}

let number = 0;

/** Writes an order with its lines and payment, as an import by SQL would; returns it. */
export async function recordOrder(
  database: Database,
  { locationId, turnId }: { locationId: string; turnId?: string },
  given: Omit<RecordedOrder, 'id' | 'status' | 'paid' | 'channel'> &
    Partial<Pick<RecordedOrder, 'status' | 'paid' | 'channel'>>,
): Promise<RecordedOrder> {
  const order: RecordedOrder = { id: newId(), status: 'closed', paid: 'completed', channel: null, ...given };
  number += 1;
  const total = decimal(totalOf(order), 2);
  const owner = { locationId, orderId: order.id };
  // At once: an order that is committed without a payment gets one.
  const prisma = prismaOf(database);
  await prisma.$transaction([
    prisma.order.create({
      data: {
        locationId,
        id: order.id,
        number,
        total,
        status: order.status,
        channel: order.channel,
        paymentMethodId: order.methodId,
        createdAt: order.at,
        turnId: turnId ?? null,
        ...(order.adjustments && { adjustments: order.adjustments.map(storedAdjustment) }),
      },
    }),
    prisma.orderItem.createMany({
      data: order.lines.map(({ productId, milli, cents, name = 'Flat White', taxRate }, index) => ({
        ...owner,
        productId,
        name,
        position: index + 1,
        unitPrice: 0,
        quantity: decimal(milli, 3),
        total: decimal(cents, 2),
        taxRate: taxRate === undefined ? null : decimal(taxRate, 4),
      })),
    }),
    prisma.payment.create({
      data: {
        ...owner,
        amount: total,
        status: order.paid,
        paymentMethodId: order.methodId,
        createdAt: order.at,
      },
    }),
  ]);
  return order;
}

const storedAdjustment = ({ kind, cents, line, taxRate }: RecordedAdjustment) => ({
  kind,
  name: kind,
  amount: Math.abs(json(cents)),
  total: json(cents),
  ...(line !== undefined && { line }),
  ...(taxRate !== undefined && { tax_rate: json(taxRate, 4) }),
});

/** The order's total in cents. */
export const totalOf = ({ lines, adjustments = [] }: Pick<RecordedOrder, 'lines' | 'adjustments'>): bigint =>
  [...lines, ...adjustments].reduce((sum, { cents }) => sum + cents, 0n);

/** A whole number of hundredths or thousandths as decimal text. */
export function decimal(units: bigint, places: number): string {
  if (units < 0n) return `-${decimal(-units, places)}`;
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The JSON number of it. */
export const json = (units: bigint, places = 2): number => Number(decimal(units, places));

/** Cents ÷ count, rounded half away from zero to whole cents; 0 when there are none. */
export const averageCents = (cents: bigint, count: bigint): bigint =>
  count === 0n ? 0n : (cents * 2n + count) / (count * 2n);

/** The refusal that the typed client got. Fails when it was not. */
export async function refused(call: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw new Error('the call was not refused', { cause: error });
  return { code: (error.data as { code?: unknown }).code, message: error.message };
}

/** Waits until so many statements of this database wait for a lock. */
export async function untilWaiting(database: Database, count: number): Promise<void> {
  await waitFor(`${count} statements to wait for a lock`, async () => {
    const [row] = await database.run(waiting, []);
    return row?.count === count;
  });
}

/** The audit entries of a resource, oldest first. */
export async function auditOf(database: Database, resourceId: string) {
  const found = await prismaOf(database).auditEntry.findMany({
    where: { resourceId },
    orderBy: { id: 'asc' },
  });
  for (const { requestId } of found) expect(requestId).toMatch(/./);
  return found.map(({ actorKind, apiKeyId, operation, changes }) => ({
    actorKind,
    apiKeyId,
    operation,
    changes,
  }));
}

const waiting = statement<{ count: number }>(
  'test_waiting_for_locks',
  `select count(*)::int as count from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock'`,
);
