import { deletionsKept, type Queryable } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { invalid } from '../../errors.ts';
import {
  type Beginning,
  firstMoment,
  type Position,
  readCursor,
  type Walk,
  writeCursor,
} from './cursor.rules.ts';
import type { ChangesInput, ChangesPage } from './schema.ts';
import { type Changes, readHorizon } from './statements.ts';

/** Whether the caller reads what has changed, and not the list as it is. */
export const readsChanges = ({ updated_since, cursor }: Partial<ChangesInput>): boolean =>
  updated_since !== undefined || cursor !== undefined;

/**
 * Returns a page of changed entries, and the cursor of the next. A reader that follows the cursors to the end and
 * continues with the last one misses no change, however late a transaction commits (docs/design/changes-and-events.md); an entry may
 * come twice. Reads the primary: only it knows the transactions under way. Throws `validation_error` for a cursor that
 * is none, and for one since when deletions that are asked for may have been forgotten.
 */
export async function readChanges<Entry>(
  ctx: CallContext,
  input: ChangesInput,
  changes: Changes,
): Promise<Answer<ChangesPage<Entry>>> {
  const { limit, offset } = input;
  const { page, walk } = await ctx.app.database.session(async (on) => {
    const read = async (begun: Begun) => {
      // The cursor of a walk with other parameters lacks `began`: this one reads on as if it began at its place.
      const { after, until, began = after.moment, ...rest } = begun;
      const range = [new Date(after.moment), after.id, new Date(until)];
      const values = [ctx.caller.locationId, ...range, ...changes.filters];
      if (changes.readsFrom) values.push(new Date(began));
      const [page] = await on.run(changes.page, [...values, limit, offset]);
      if (page === undefined) throw new Error('a page of changes is one row');
      const total = begun.total ?? (await on.run(changes.count, values))[0]?.total ?? 0;
      return { page, walk: { ...rest, after, until, ...(changes.readsFrom && { began }), total } };
    };
    const begun = await walkOf(on, input, changes.listsDeleted ?? false);
    const { page, walk } = await read(begun);
    if (page.epoch === walk.epoch) return { page, walk };
    const { after, horizon, epoch } = walk;
    return read(await begin(on, { from: Math.min(after.moment, horizon), epoch }));
  });
  const { data, deleted, found, cut, moment, id } = page;
  const { epoch, horizon } = walk;
  const next =
    (found < limit && cut === null) || moment === null || id === null
      ? writeCursor({ from: horizon, epoch })
      : writeCursor({ ...walk, after: { moment, id } });
  const pagination = JSON.stringify({ limit: cut ?? limit, offset, total: walk.total, next });
  const gone = deleted === undefined ? '' : `,"deleted":${deleted}`;
  return { text: `{"data":${data}${gone},"pagination":${pagination}}`, next: { cursor: next } };
}

/** A walk whose total may still have to be counted. */
type Begun = Omit<Walk, 'total'> & { total?: number };

/** How far a cursor goes back in another epoch, in milliseconds: a failover may have lost what was read before it. */
const rewindMs = 3_600_000;

async function walkOf(
  on: Queryable,
  { updated_since, cursor }: ChangesInput,
  listsDeleted: boolean,
): Promise<Begun> {
  if (cursor === undefined) return begin(on, { from: momentOf(updated_since ?? ''), epoch: undefined });
  const known = readCursor(cursor);
  if (listsDeleted) refuseForgotten('from' in known ? known.from : known.horizon);
  return 'from' in known ? begin(on, known) : known;
}

// A moment is stated by the caller. A cursor promises that nothing is missed, and could not keep that.
function refuseForgotten(from: number): void {
  if (from >= Date.now() - deletionsKept.days * 86_400_000) return;
  const message = `begins more than ${deletionsKept.days} days ago, and deletions of that time are not kept: read the whole list, and start over`;
  throw invalid({ path: 'cursor', message, reason: 'unknown_cursor' });
}

// The horizon first, in a snapshot of its own: the page's, which is later, shows all that is before it.
async function begin(on: Queryable, { from: asked, epoch }: Beginning): Promise<Begun> {
  const [row] = await on.run(readHorizon, []);
  if (row === undefined) throw new Error('the horizon is one row');
  const wanted =
    epoch === undefined || epoch === row.epoch ? asked : Math.max(asked - rewindMs, firstMoment + 1);
  // The clock of this process, with which the caller's was judged, may be ahead of the database's.
  const from = Math.min(wanted, row.asked);
  return {
    epoch: row.epoch,
    after: before(from),
    began: from,
    until: row.asked,
    horizon: Math.max(row.horizon, from),
  };
}

/** The place before everything of a moment. */
const before = (moment: number): Position => ({
  moment: moment - 1,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
});

// Postgres knows neither a year before 1 nor offsets of 16 hours and more.
const momentOf = (text: string) => Math.max(Date.parse(text), firstMoment + 1);
