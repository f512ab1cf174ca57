import { type Check, Unmet } from '../check.ts';
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
    // What a run that died has left.
    await remove();
    await database.run(sql.insertProducts, [run.locationId, externalIds]);
    run.did(`made ${count} products, and removed them afterwards`);
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
          return coverageOf(read) >= count || undefined;
        },
      });
      for (const call of read) await run.saw(call);
      if (!isWhole) throw new Unmet(`${coverageOf(read)} of ${count} were read within ${toReadSeconds} s.`);
    } finally {
      await remove();
    }
  },
};

/** How many entries from the first on were read without a gap; by cursor, how many the pages have room for. */
function coverageOf(calls: readonly Call[]): number {
  const queries = calls.map(
    ({ request }) => new URL(request.replace(/^\S+ /, ''), 'http://localhost').searchParams,
  );
  const sizeOf = (query: URLSearchParams) => Number(query.get('limit') ?? 50);
  const byCursor = queries.filter((query) => query.has('cursor') || query.has('updated_since'));
  const cursors = new Map(byCursor.map((query) => [query.get('cursor') ?? '', sizeOf(query)]));
  const pages = queries
    .filter((query) => !byCursor.includes(query))
    .map((query) => ({ from: Number(query.get('offset') ?? 0), size: sizeOf(query) }))
    .sort((a, b) => a.from - b.from);
  let end = 0;
  for (const { from, size } of pages) if (from <= end) end = Math.max(end, from + size);
  return Math.max(
    end,
    [...cursors.values()].reduce((sum, size) => sum + size, 0),
  );
}
