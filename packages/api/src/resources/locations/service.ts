import { isId } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { actorOf, audit } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { inPrismaTransaction } from '../../request/writing.ts';
import { insertLocation, knowingZones, toLocation } from './create.ts';
import type { Location, LocationCreate, LocationUpdate } from './schema.ts';

/** Reads the location of the key. */
export async function getCurrent(ctx: CallContext): Promise<Answer<Location>> {
  const found = await ctx.app.database.prisma.location.findUnique({ where: { id: ctx.caller.locationId } });
  if (found === null) throw notFound('Location');
  return { value: toLocation(found) };
}

/**
 * Makes a location with one enabled payment method, "Cash". The caller's key stays with its own: keys of the new
 * one are made at the command line. Throws `validation_error`.
 */
export function create(ctx: CallContext, input: LocationCreate): Promise<Answer<Location>> {
  return knowingZones(() =>
    inPrismaTransaction(ctx, async (tx) => ({ value: await insertLocation(tx, actorOf(ctx), input) })),
  );
}

/**
 * Changes the fields of the caller's location that are present; a key knows no other. Amounts keep their numbers
 * when the currency changes. Throws `resource_not_found`, `validation_error`.
 */
export function update(ctx: CallContext, { id, ...changes }: LocationUpdate): Promise<Answer<Location>> {
  if (!isId(id) || id !== ctx.caller.locationId) throw notFound('Location');
  return knowingZones(() =>
    inPrismaTransaction(ctx, async (tx) => {
      // Held, so that two changes never take each other's values for the old ones.
      await tx.$queryRaw`select 1 as held from locations where id = ${id}::uuid for no key update`;
      const row = await tx.location.findUnique({ where: { id } });
      if (row === null) throw notFound('Location');
      const before = { name: row.name, timezone: row.timezone, currency: row.currency };
      const after = {
        name: changes.name ?? before.name,
        timezone: changes.timezone ?? before.timezone,
        currency: changes.currency ?? before.currency,
      };
      await audit(tx, ctx, 'locations.update', id, { before, after });
      return { value: toLocation(await tx.location.update({ where: { id }, data: after })) };
    }),
  );
}
