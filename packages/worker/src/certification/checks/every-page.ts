import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import type { Call } from '../statements.ts';
import * as sql from '../statements.ts';

/** How many there are. */
const count = 450;
const externalIds = Array.from(
  { length: count },
  (_, n) => `certification-${String(n + 1).padStart(3, '0')}`,
);
const toReadSeconds = 90;

/** A list of 450 products is read to its end. */
export const everyPage: Check = {
  title: `Every page of a list of ${count} is read`,
  needs: ['reads_lists'],
  leansOn: [],
  read: '/docs/guides/paging',
  async play(run) {
    const { database } = run.tools;
    const remove = () => database.run(sql.removeProducts, [run.locationId, externalIds]);
    // The endpoint that a run that died has left.
    await remove();
    const made = new Set(
      (await database.run(sql.insertProducts, [run.locationId, externalIds])).map(({ id }) => id),
    );
    run.did(`made ${count} products, and removed them later`);
    try {
      const since = await run.newest();
      let read: Call[] = [];
      const isWhole = await run.waitFor({
        action: 'read_products',
        text: `Read all products now (GET /v2/products), as for a full comparison: there are ${count} and more.`,
        seconds: toReadSeconds,
        since,
        look(calls) {
          read = calls.filter(
            ({ operation, status }) => operation === 'products.list' && status !== null && status < 400,
          );
          return shownOf(read, made) === made.size || undefined;
        },
      });
      for (const call of read) await run.saw(call);
      if (!isWhole)
        throw new Unmet(`${shownOf(read, made)} of ${count} were read within ${toReadSeconds} s.`);
    } finally {
      await remove();
    }
  },
};

/** How many of the products the pages hold. */
const shownOf = (pages: readonly Call[], made: ReadonlySet<string>): number =>
  new Set(pages.flatMap(({ answered }) => answered.filter((id) => made.has(id)))).size;
