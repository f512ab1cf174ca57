import { isGood } from '../calls.ts';
import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import type { Call } from '../statements.ts';
import { take } from '../steps.ts';

/** How many there are. */
const count = 450;
const toReadSeconds = 90;

/** A list of 450 products is read to its end. */
export const everyPage: Check = {
  title: `Every page of a list of ${count} is read`,
  needs: ['reads_lists'],
  leansOn: [],
  read: '/docs/guides/paging',
  *play(run) {
    const made = new Set((yield* take({ name: 'make_products', count })).ids);
    run.did(`made ${count} products, and removed them later`);
    const { calls } = yield* take({
      name: 'wait',
      action: 'read_products',
      text: `Read all products now (GET /v2/products), as for a full comparison: there are ${count} and more.`,
      seconds: toReadSeconds,
      isOver: (seen) => shownOf(pagesIn(seen.calls), made) === made.size,
    });
    const pages = pagesIn(calls);
    for (const page of pages) run.saw(page);
    const shown = shownOf(pages, made);
    if (shown < made.size) throw new Unmet(`${shown} of ${count} were read within ${toReadSeconds} s.`);
  },
};

const pagesIn = (calls: readonly Call[]) =>
  calls.filter((call) => call.operation === 'products.list' && isGood(call));

/** How many of the products the pages hold. */
const shownOf = (pages: readonly Call[], made: ReadonlySet<string>): number =>
  new Set(pages.flatMap(({ answered }) => answered.filter((id) => made.has(id)))).size;
