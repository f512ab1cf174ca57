import pg from 'pg';
import { itemsPerChunk as chunk } from '../../../packages/api/src/resources/sync-jobs/apply.store.ts';
import { trials } from '../../support/trials.ts';

/** An item as it is sent. */
export interface SentItem {
  external_id: string;
  name: string;
  price: number;
  category_external_ids?: string[];
}

/** A batch, and what must become of it. */
export interface Batch {
  name: string;
  mode: 'create' | 'upsert';
  items: SentItem[];
  /** Indexes of the items whose product is there already. */
  there: number[];
  /** Index and code of every item that must fail. */
  failures: { index: number; code: string }[];
}

/**
 * Two chunks of items to create. Some exist, which fails them: if a chunk were applied twice, all of it would
 * fail the second time.
 */
export function createBatch(): Batch {
  const there = [7, 100, chunk - 1, chunk, chunk + 83, 2 * chunk - 1];
  const items = Array.from({ length: 2 * chunk }, (_, index) => sent('create', index));
  return {
    name: 'create',
    mode: 'create',
    items,
    there,
    failures: there.map((index) => ({ index, code: 'conflict' })),
  };
}

/** Three chunks of items, or eight in the full form, to upsert, in each of which some exist and one names a category that does not. */
export function upsertBatch(): Batch {
  const items = Array.from({ length: trials(3, 8) * chunk }, (_, index) => sent('upsert', index));
  const failing = items.flatMap((_, index) => (index % chunk === 17 ? index : []));
  for (const index of failing)
    items[index] = { ...sent('upsert', index), category_external_ids: ['unknown'] };
  return {
    name: 'upsert',
    mode: 'upsert',
    items,
    there: items.flatMap((_, index) => (index % 20 === 10 ? index : [])),
    failures: failing.map((index) => ({ index, code: 'validation_error' })),
  };
}

function sent(batch: string, index: number): SentItem {
  return {
    external_id: `${batch}-${index}`,
    name: `Product ${batch} ${index}`,
    price: (index + 1) / 4,
    ...(index % 5 === 0 && { category_external_ids: ['known'] }),
  };
}

/** The products of a batch that are there before it, as rows. */
export const existing = ({ name, items, there }: Batch) =>
  there.flatMap((index) => {
    const externalId = items[index]?.external_id;
    return externalId === undefined
      ? []
      : { externalId, sku: `old-${name}-${index}`, name: 'Old', price: 9_999 };
  });

/** A place where a job can be stopped: a product that exists, in a chunk. */
export interface Gate {
  externalId: string;
  /** How many items are processed when the job stops there. */
  chunkStart: number;
}

/** One gate in every chunk but the first. */
export function gatesOf({ items, there }: Batch): Gate[] {
  const gates = new Map<number, Gate>();
  for (const index of there) {
    const chunkStart = index - (index % chunk);
    const externalId = items[index]?.external_id;
    if (chunkStart > 0 && externalId !== undefined) gates.set(chunkStart, { externalId, chunkStart });
  }
  return [...gates.values()];
}

/** Locks the products, so that a program that writes their chunk waits. The answer opens it, also when called again. */
export async function shutGate(
  databaseUrl: string,
  locationId: string,
  gates: readonly Gate[],
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  const names = gates.map(({ externalId }) => externalId);
  const { rowCount } = await client.query(
    'select from products where location_id = $1 and external_id = any ($2) order by external_id for update',
    [locationId, names],
  );
  if (rowCount !== names.length) throw new Error(`only ${rowCount} of ${names.length} gates exist`);
  let shut = true;
  return async () => {
    if (!shut) return;
    shut = false;
    await client.query('rollback');
    await client.end();
  };
}
