import type { CallContext } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { wireTime } from '../../wire.ts';
import type { Location } from './schema.ts';

/** Reads the location of the key. */
export async function getCurrent(ctx: CallContext): Promise<Location> {
  const found = await ctx.app.database.prisma.location.findUnique({ where: { id: ctx.caller.locationId } });
  if (found === null) throw notFound('Location');
  const { id, name, timezone, currency, createdAt } = found;
  return { id, name, timezone, currency, created_at: wireTime(createdAt, timezone) };
}
