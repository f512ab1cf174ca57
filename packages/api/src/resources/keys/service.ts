import type { Transaction } from '@comanda/db';
import { ApiError, unauthorized } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { actorOf } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import { inTransaction } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import { exceeding, type KeyReach, withinReach } from './rules.ts';
import type { Key, KeyCreate, KeyWithText } from './schema.ts';
import { defaultKeyLimits, holdKey, listKeys } from './statements.ts';
import { insertKey, revokeIn, wantedOf } from './store.ts';

/** Lists the keys of the location, revoked and expired ones included, oldest first. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<Key>>> => readPage(ctx, listKeys, paging);

/**
 * Makes a key of the caller's location; its text is in this answer and nowhere else. It may do nothing that the
 * caller's own key may not: throws `permission_denied` naming what would be more, `conflict` for a repeat with the same
 * idempotency key.
 */
export function create(ctx: CallContext, input: KeyCreate): Promise<Answer<KeyWithText>> {
  return inTransaction(ctx, async (tx) => {
    const maker = await holdOwnKey(tx, ctx);
    const wanted = wantedOf(input);
    const faults = exceeding(maker, wanted);
    if (faults.length > 0) {
      const told = faults.slice(0, 10).map(({ path, message }) => `${path}: ${message}`);
      throw new ApiError('beyond_own_key', `A key may grant no more than it has: ${told.join('; ')}`);
    }
    const within = withinReach(maker, wanted, defaultKeyLimits);
    const { code, sandbox } = ctx.caller.location;
    const made = await insertKey(tx, actorOf(ctx), { name: input.name, code, sandbox }, within);
    const onRepeat = `The Idempotency-Key made the key ${made.id} (${made.prefix}…), whose text is shown once.`;
    return { value: made, onRepeat };
  });
}

/** Revokes a key of the location, the caller's own included; twice changes nothing. Throws `resource_not_found`. */
export function revoke(ctx: CallContext, id: string): Promise<Answer<Key>> {
  return inTransaction(ctx, async (tx) => ({ value: await revokeIn(tx, actorOf(ctx), id) }));
}

/**
 * The caller's key as the database has it now, held to the end of the transaction: a key that is being revoked, or
 * narrowed, leaves no other behind. Throws `unauthorized`.
 */
async function holdOwnKey(tx: Transaction, { caller }: CallContext): Promise<KeyReach> {
  const [row] = await tx.run(holdKey, [caller.locationId, caller.apiKeyId]);
  if (row === undefined) throw unauthorized('key_not_valid');
  const { permissions: granted, expires_at: expiresAt, ...limits } = row;
  return { granted, limits, expiresAt };
}
