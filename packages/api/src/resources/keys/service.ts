import type { PrismaTransaction } from '@comanda/db';
import { ApiError } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { actorOf } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { inPrismaTransaction } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import { defaultKeyLimits, insertKey, limitsOf, revokeIn, toKey, wantedOf } from './issue.ts';
import { exceeding, type KeyReach, withinReach } from './rules.ts';
import type { Key, KeyCreate, KeyWithText } from './schema.ts';

/** Lists the keys of the location, revoked and expired ones included, oldest first. */
export async function list(
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<Key>>> {
  const where = { locationId: ctx.caller.locationId };
  const [total, found] = await ctx.reads.prisma(
    ({ apiKey }) => apiKey.count({ where }),
    ({ apiKey }) =>
      apiKey.findMany({
        where,
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        skip: paging.offset,
        take: paging.limit,
      }),
  );
  const { timezone } = ctx.caller.location;
  return { value: { data: found.map((row) => toKey(row, timezone)), pagination: { ...paging, total } } };
}

/**
 * Makes a key of the caller's location; its text is in this answer and nowhere else. It may do nothing that the
 * caller's own key may not: throws `permission_denied` naming what would be more, `conflict` for a repeat with the same
 * idempotency key.
 */
export function create(ctx: CallContext, input: KeyCreate): Promise<Answer<KeyWithText>> {
  return inPrismaTransaction(ctx, async (tx) => {
    const maker = await holdOwnKey(tx, ctx);
    const wanted = wantedOf(input);
    const faults = exceeding(maker, wanted);
    if (faults.length > 0) {
      const told = faults.slice(0, 10).map(({ path, message }) => `${path}: ${message}`);
      throw new ApiError('permission_denied', `A key may grant no more than it has: ${told.join('; ')}`);
    }
    const within = withinReach(maker, wanted, defaultKeyLimits);
    const made = await insertKey(tx, actorOf(ctx), ctx.caller.location, input.name, within);
    const onRepeat = `The Idempotency-Key made the key ${made.id} (${made.prefix}…), whose text is shown once.`;
    return { value: made, onRepeat };
  });
}

/** Revokes a key of the location, the caller's own included; twice changes nothing. Throws `resource_not_found`. */
export function revoke(ctx: CallContext, id: string): Promise<Answer<Key>> {
  return inPrismaTransaction(ctx, async (tx) => ({ value: await revokeIn(tx, actorOf(ctx), id) }));
}

/**
 * The caller's key as the database has it now, held to the end of the transaction: a key that is being revoked, or
 * narrowed, leaves no other behind. Throws `unauthorized`.
 */
async function holdOwnKey(tx: PrismaTransaction, { caller }: CallContext): Promise<KeyReach> {
  const { locationId, apiKeyId: id } = caller;
  await tx.$queryRaw`select 1 as held from api_keys where location_id = ${locationId}::uuid and id = ${id}::uuid for share`;
  const row = await tx.apiKey.findFirst({ where: { locationId, id, revokedAt: null } });
  if (row === null) {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    throw new ApiError('unauthorized', 'The API key is missing or not valid.', { headers });
  }
  return { granted: row.permissions, limits: limitsOf(row), expiresAt: row.expiresAt };
}
