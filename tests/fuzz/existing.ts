import type { Operation } from '../../packages/api/src/call/operations.ts';
import { inputIn, isLookup, type Kitchen, makeSubject, openKitchen } from '../contract/kitchen.ts';
import type { TestApi } from '../support/api.ts';
import { createKey } from '../support/factories.ts';
import { Existing } from './values.ts';

/** A place where requests meet things that exist. */
export interface Ground {
  kitchen: Kitchen;
  /** The ids that a field may refer to, the newest last. */
  known: Map<string, string[]>;
}

/** Opens a kitchen whose key is not stopped by limits, with the subject of the operation in it, if it has one. */
export async function openGround(api: TestApi, operation?: Operation): Promise<Ground> {
  const kitchen = await openKitchen(api);
  const { locationId, category, product, itemId, paymentMethodId } = kitchen;
  const limits = { perMinute: 1_000_000, monthly: 100_000_000, batchJobsPerHour: 1_000_000 };
  kitchen.key = (await createKey(api.app.database, { locationId, ...limits })).key;
  const known = new Map<string, string[]>([
    ['product_id', [product.id]],
    ['category_id', [category.id]],
    ['item_id', [itemId]],
    ['payment_method_id', [paymentMethodId]],
    ['location_id', [locationId]],
    ['sku', ['sku-made']],
    ['external_id', [product.externalId, category.externalId].filter((text) => text !== undefined)],
    ['category_external_id', [category.externalId ?? '']],
  ]);
  if (operation !== undefined && ('id' in operation.input.shape || isLookup(operation))) {
    const subject = await makeSubject(kitchen, operation);
    learn(known, 'id', subject.id);
    if (subject.externalId !== undefined) learn(known, 'external_id', subject.externalId);
  }
  return { kitchen, known };
}

/** A valid input without what is in the path or a header. */
export async function bodyIn({ kitchen }: Ground, operation: Operation): Promise<Record<string, unknown>> {
  const { id: _, external_id: __, idempotencyKey: ___, ...body } = await inputIn(kitchen, operation);
  return body;
}

/** Adds something that a field may refer to. */
export function learn(known: Map<string, string[]>, field: string, value: string): void {
  const values = known.get(field) ?? [];
  known.set(field, [...values.slice(-49), value]);
}

/** The value with every reference replaced by something that exists, where anything does. */
export function settled({ known }: Ground, value: unknown): unknown {
  if (value instanceof Existing) {
    const values = known.get(value.field) ?? known.get('id') ?? [];
    // The newest is the likeliest: what was just made is used.
    const index = value.choice % 2 === 0 ? values.length - 1 : value.choice % Math.max(1, values.length);
    return values[index] ?? '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d';
  }
  if (Array.isArray(value)) return value.map((entry) => settled({ known } as Ground, entry));
  if (typeof value !== 'object' || value === null) return value;
  const settledMembers = Object.entries(value).map(
    ([name, member]) => [name, settled({ known } as Ground, member)] as const,
  );
  return Object.fromEntries(settledMembers);
}
