import { newId, statement } from '@comanda/db';
import type { Hand } from '../support/by-hand.ts';
import { waitFor } from '../support/wait.ts';
import type { WorkerKit } from './kit.ts';

/**
 * Makes a product whose event is published up to the end: its deliveries are made, and the relay's transaction waits with its
 * commit behind what the hand has locked, until that commits. The relay waits for a second at most. `publish` begins the round
 * of a relay that does not run by itself; `ended` is its promise.
 */
export async function holdPublishing(
  { database, locationId, sql }: WorkerKit,
  hand: Hand,
  { publish = async () => {} }: { publish?: () => Promise<unknown> } = {},
): Promise<{ ended: Promise<unknown> }> {
  const waits = (query: string) =>
    waitFor(
      `"${query}" to wait`,
      async () => {
        const found = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query ilike ${query} || '%'`;
        return found.length > 0;
      },
      { intervalMs: 5 },
    );
  await hand.sql('begin');
  const id = newId();
  let locked: Promise<unknown> = Promise.resolve();
  await database.transaction(undefined, async (tx) => {
    await tx.run(insertProduct, [locationId, id]);
    // Behind this transaction, and before the relay, which only reads until it removes what it has published.
    locked = hand.sql(lock);
    await waits(lock);
  });
  await locked;
  const ended = publish();
  ended.catch(() => {});
  await waits('delete from internal.captured_changes');
  return { ended };
}

const lock = 'lock table internal.captured_changes in share mode';

const insertProduct = statement(
  'test_insert_product',
  `insert into products (location_id, id, sku, name, price) values ($1, $2::uuid, $2::text, 'Held', 1)`,
);
