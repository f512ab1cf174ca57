import { newId } from '@comanda/db';
import type pg from 'pg';
import { sqlAt, withClient } from '../../support/sql.ts';

/** The writes, and the order of their commits as far as that is certain. */
export interface Ledger {
  /** Writes everything: several writers at once, and transactions that begin early and commit late. */
  write(): Promise<void>;
  /**
   * Holds a location's events against what was written: every transaction is there, each product as often as
   * transactions changed it, and of two transactions of which one was committed before the other wrote its last
   * change, the events come in that order. Returns how many such neighbors were compared.
   *
   * @throws {Error} that names the first two transactions that are out of order, or what is missing.
   */
  check(locationId: string, numbersOf: (productId: string) => number[]): number;
  /** How many transactions there are. */
  transactions(): number;
}

interface Committed {
  productIds: string[];
  /** By one clock: just before its last change was sent, and just after its commit was acknowledged. */
  lastSent: number;
  acknowledged: number;
}

const perTransaction = 5;
const writers = 4;

/** Prepares products at every location; nothing is captured of that. */
export async function createLedger(
  url: string,
  locations: readonly string[],
  changes: number,
): Promise<Ledger> {
  const committed = new Map<string, Committed[]>(locations.map((id) => [id, []]));
  const perLocation = Math.ceil(changes / locations.length / perTransaction);
  const long = 4;
  const products = new Map<string, string[]>();
  const sql = sqlAt(url);
  for (const locationId of locations) {
    const ids = Array.from({ length: perTransaction * (perLocation + 2 * long) }, () => newId());
    await sql(
      `insert into products (location_id, id, sku, name, price) select $1, id, id::text, 'p', 1 from unnest($2::uuid[]) id`,
      [locationId, ids],
    );
    products.set(locationId, ids);
  }
  await sql('delete from internal.captured_changes');

  const take = (locationId: string) => products.get(locationId)?.splice(0, perTransaction) ?? [];
  const change = (on: pg.Client, ids: readonly string[]) =>
    on.query(`update products set description = description || 'x' where id = any ($1)`, [ids]);

  /** One transaction: all but the last of its changes, `between` at the same time, the last, the commit. */
  async function transact(on: pg.Client, locationId: string, between?: () => Promise<void>): Promise<void> {
    const productIds = take(locationId);
    await on.query('begin');
    await change(on, productIds.slice(0, -1));
    await between?.();
    const lastSent = performance.now();
    await change(on, productIds.slice(-1));
    await on.query('commit');
    committed.get(locationId)?.push({ productIds, lastSent, acknowledged: performance.now() });
  }

  return {
    async write() {
      let next = 0;
      const turns = locations.length * perLocation;
      const short = () =>
        withClient(url, async (on) => {
          for (let turn = next++; turn < turns; turn = next++)
            await transact(on, locations[turn % locations.length] ?? '');
        });
      // Long ones hold their changes back from the beginning until the first, second … quarter is written.
      const late = Array.from({ length: long }, (_, index) =>
        withClient(url, (on) =>
          transact(on, locations[index % locations.length] ?? '', async () => {
            while (next < (turns * (index + 1)) / long)
              await new Promise((resolve) => setTimeout(resolve, 5));
          }),
        ),
      );
      await Promise.all([...late, ...Array.from({ length: writers }, short)]);
    },
    check(locationId, numbersOf) {
      const spans = (committed.get(locationId) ?? []).map((one) => {
        const numbers = one.productIds.map((id) => {
          const [number, ...more] = numbersOf(id);
          if (number === undefined || more.length > 0)
            throw new Error(
              `product ${id} has ${more.length + (number === undefined ? 0 : 1)} events instead of one`,
            );
          return number;
        });
        return { ...one, first: Math.min(...numbers), last: Math.max(...numbers) };
      });
      spans.sort((a, b) => a.acknowledged - b.acknowledged);
      let compared = 0;
      let highest = 0;
      let behind = 0;
      const byLastSent = [...spans].sort((a, b) => a.lastSent - b.lastSent);
      for (const later of byLastSent) {
        // Everything that was acknowledged before this one's last change was sent.
        for (
          let earlier = spans[behind];
          earlier && earlier.acknowledged < later.lastSent;
          earlier = spans[++behind]
        )
          highest = Math.max(highest, earlier.last);
        if (highest > later.first)
          throw new Error(
            `at location ${locationId} event ${highest} of an earlier transaction comes after ${later.first} of a later one`,
          );
        compared += behind > 0 ? 1 : 0;
      }
      return compared;
    },
    transactions: () => [...committed.values()].reduce((sum, { length }) => sum + length, 0),
  };
}
