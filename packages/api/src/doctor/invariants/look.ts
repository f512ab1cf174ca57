import { type Database, isState, statement } from '@comanda/db';
import { adviceBy, type Finding, ok, reasonOf, unknown, warning, wrong } from '../check.ts';
import { type Harm, type Invariant, reportedAtMost, valuesFor } from './invariant.ts';

/** How far to look. */
export interface Reach {
  /** Only at this location. */
  location?: string;
  /** At every row of every location, however long that takes; else at the newest, for so many seconds. */
  deep: boolean;
  seconds: number;
}

/** The violations found of one invariant. */
export interface Looked {
  invariant: Invariant;
  harms: Harm[];
  finding: Finding;
}

/** The error that kept an invariant from being checked, and the advice where the SQLSTATE has one. */
interface Failure {
  why: string;
  advice: string | undefined;
}

/**
 * Looks at all of them: first what is asked once, then location by location, from any one on, so that runs that end early
 * see others the next time. A statement takes as long as the pool lets it; what took longer, or failed, is unknown.
 */
export async function lookAt(
  database: Database,
  invariants: readonly Invariant[],
  reach: Reach,
): Promise<Looked[]> {
  const until = reach.deep ? Number.POSITIVE_INFINITY : performance.now() + reach.seconds * 1_000;
  const books = invariants.map((invariant) => ({
    invariant,
    harms: [] as Harm[],
    failures: [] as Failure[],
  }));
  const look = async ({ invariant, harms, failures }: (typeof books)[number], location: string) => {
    const newest = reach.deep ? null : (invariant.newest ?? null);
    try {
      const { asks } = invariant;
      const found =
        typeof asks === 'function'
          ? await asks({ database, location, newest })
          : await database.run(asks, valuesFor(asks, location, newest));
      harms.push(
        ...found.filter(
          (harm) =>
            reach.location === undefined || harm.location === reach.location || harm.location === null,
        ),
      );
    } catch (error) {
      const where = invariant.of === 'location' ? ` at location ${location}` : '';
      const late = isState(error, 'canceled');
      failures.push({
        why: `${late ? 'it took too long' : reasonOf(error)}${where}`,
        advice: adviceBy(error),
      });
    }
  };
  const notListed = (error: unknown): string[] => {
    for (const { invariant, failures } of books)
      if (invariant.of === 'location') failures.push({ why: reasonOf(error), advice: adviceBy(error) });
    return [];
  };
  for (const book of books) if (book.invariant.of === 'database') await look(book, '');
  const all = reach.location === undefined ? await locationsOf(database).catch(notListed) : [reach.location];
  let seen = 0;
  for (const location of all) {
    if (performance.now() > until) break;
    for (const book of books) if (book.invariant.of === 'location') await look(book, location);
    seen += 1;
  }
  return books.map(({ invariant, harms, failures }) => ({
    invariant,
    harms,
    finding: conclude(
      harms,
      invariant.of === 'location' && seen < Math.min(1, all.length)
        ? [{ why: 'time was up', advice: undefined }]
        : failures,
      extent(invariant, reach, seen, all.length),
    ),
  }));
}

async function locationsOf(database: Database): Promise<string[]> {
  const ids = (await database.run(everyLocation, [])).map(({ id }) => id);
  const from = Math.floor(Math.random() * ids.length);
  return [...ids.slice(from), ...ids.slice(0, from)];
}

/** The extent of the check, so that a reader can judge `well`. */
function extent({ of, newest }: Invariant, { deep }: Reach, seen: number, all: number): string {
  if (of === 'database') return '';
  const rows = deep || newest === undefined ? '' : `the newest ${newest.toLocaleString('en')} of `;
  const places =
    seen === all ? `${all} location${all === 1 ? '' : 's'}` : `${seen} of ${all} locations, then time was up`;
  return ` (looked at ${rows}${places}${rows !== '' || seen < all ? '; --deep looks at all' : ''})`;
}

function conclude(harms: readonly Harm[], failures: readonly Failure[], looked: string): Finding {
  if (harms.length === 0) {
    const [first] = failures;
    if (first === undefined) return ok(`all agree${looked}`);
    const more = failures.length > 1 ? ` and ${failures.length - 1} more` : '';
    const { why, advice } = first;
    return { ...unknown(`could not be looked at: ${why}${more}`), ...(advice !== undefined && { advice }) };
  }
  const shown = harms
    .slice(0, 5)
    .map(
      ({ location, what, harm }) => `${what}${location === null ? '' : ` of location ${location}`} ${harm}`,
    );
  const count = harms.length > reportedAtMost ? `more than ${reportedAtMost}` : String(harms.length);
  const more = harms.length > shown.length ? ` … ${count} in all` : '';
  const found = `${shown.join('; ')}${more}${looked}`;
  return harms.every(({ mild }) => mild === true) ? warning(found) : wrong(found);
}

const everyLocation = statement<{ id: string }>('doctor_locations', 'select id from locations order by id');
