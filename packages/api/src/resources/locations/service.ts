import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { actorOf, audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inTransaction } from '../../call/writing.ts';
import { invalid, notFound } from '../../errors.ts';
import type {
  CodedLocation,
  Location,
  LocationCreate,
  LocationPause,
  LocationRead,
  LocationUpdate,
  LocationWithHours,
} from './schema.ts';
import { pauseLocation, readLocation, readLocationWithHours, updateLocation } from './statements.ts';
import { insertLocation, knowingZones } from './store.ts';

/** Reads the location of the key. With `hours` the answer is that of a moment, so it has no tag. */
export async function getCurrent(
  ctx: CallContext,
  { include = [] }: LocationRead = {},
): Promise<Answer<LocationWithHours>> {
  const showsHours = include.includes('hours');
  const statement = showsHours ? readLocationWithHours : readLocation;
  const [found] = await ctx.app.database.run(statement, [ctx.caller.locationId]);
  if (found === undefined) throw notFound('Location');
  return { text: found.doc, ...(!showsHours && { etag: tagOfRow(found.id, found.revision) }) };
}

/**
 * Makes a location with one enabled payment method, "Cash"; of a sandbox's key always a sandbox. The caller's key stays with
 * its own: keys of the new one are made at the command line. Throws `validation_error`.
 */
export function create(ctx: CallContext, input: LocationCreate): Promise<Answer<CodedLocation>> {
  const wanted = ctx.caller.location.sandbox ? { ...input, sandbox: true } : input;
  return knowingZones(() =>
    inTransaction(ctx, async (tx) => ({
      value: await insertLocation(tx, actorOf(ctx), wanted),
    })),
  );
}

/**
 * Changes the fields of the caller's location that are present; a key knows no other. Throws `resource_not_found`,
 * `validation_error`, `conflict` for another currency where there are amounts.
 */
export function update(ctx: CallContext, { id, ...changes }: LocationUpdate): Promise<Answer<CodedLocation>> {
  if (!isId(id) || id !== ctx.caller.locationId) throw notFound('Location');
  return knowingZones(() =>
    inTransaction(ctx, async (tx) => {
      const [changed] = await tx.run(updateLocation, [id, JSON.stringify(changes)]);
      if (changed === undefined) throw notFound('Location');
      const { before, after } = changed;
      audit(tx, ctx, 'locations.update', id, { before, after });
      return { text: changed.doc, etag: tagOfRow(id, changed.revision) };
    }),
  );
}

/**
 * Pauses the location of the key, or gives its pause another end and reason: once this is answered, no order is created that
 * began later. Throws `validation_error` for an end that is not in the future.
 */
export const pause = (ctx: CallContext, given: LocationPause): Promise<Answer<Location>> =>
  setPause(ctx, 'locations.pause', true, given);

/** Ends the pause of the location of the key, if there is one. */
export const resume = (ctx: CallContext): Promise<Answer<Location>> =>
  setPause(ctx, 'locations.resume', false);

function setPause(
  ctx: CallContext,
  operation: string,
  paused: boolean,
  { until, reason }: LocationPause = {},
): Promise<Answer<Location>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const [changed] = await tx.run(pauseLocation, [locationId, paused, until ?? null, reason ?? null]);
    if (changed === undefined) throw invalid({ path: 'until', message: 'must be in the future' });
    const { before, after } = changed;
    audit(tx, ctx, operation, locationId, { before, after });
    return { text: changed.doc, etag: tagOfRow(locationId, changed.revision) };
  });
}
