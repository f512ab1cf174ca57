import { isId, type Transaction } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { actorOf, audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { repeatingDeadlocks } from '../../call/races.ts';
import { inTransaction } from '../../call/writing.ts';
import { ApiError, conflict, invalid, notFound, unauthorized } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import {
  earlier,
  exceeding,
  type KeyReach,
  latestEndOf,
  type WantedKey,
  widening,
  withinReach,
} from './rules.ts';
import {
  isPersonsKey,
  type Key,
  type KeyCreate,
  type KeyNarrow,
  type KeyRotate,
  type KeyRotated,
  type KeyWithText,
} from './schema.ts';
import {
  defaultKeyLimits,
  endKey,
  holdKey,
  holdKeyHere,
  listKeys,
  readKeyHere,
  updateKey,
} from './statements.ts';
import { insertKey, keyIn, revokeIn, storeKey, wantedOf } from './store.ts';

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
    refuseBeyond(maker, wanted);
    const within = withinReach(maker, wanted, defaultKeyLimits);
    const { code, sandbox } = ctx.caller.location;
    const made = await insertKey(tx, actorOf(ctx), { name: input.name, code, sandbox }, within);
    const onRepeat = `The Idempotency-Key made the key ${made.id} (${made.prefix}…), whose text is shown once.`;
    return { value: made, onRepeat };
  });
}

/** Reads a key of the location, without its text. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Key>> {
  const [row] = isId(id) ? await ctx.app.database.run(readKeyHere, [ctx.caller.locationId, id]) : [];
  if (row === undefined) throw notFound('Key');
  return { value: keyIn(row) };
}

/**
 * Leaves a key of the location some of what it may do; the caller's own key need not have it, since nothing is given. Throws
 * `resource_not_found`, `validation_error` for what the key does not have, `conflict` for a revoked one.
 */
export function narrow(ctx: CallContext, { id, permissions, event_types }: KeyNarrow): Promise<Answer<Key>> {
  return inTransaction(ctx, async (tx) => {
    const before = await holdUsable(tx, ctx, id);
    const [fault] = widening(before.permissions, permissions ?? []);
    if (fault !== undefined) throw invalid(fault);
    const left = permissions && [...new Set(permissions)];
    const [row] = await tx.run(updateKey, [
      id,
      null,
      left,
      null,
      false,
      null,
      null,
      null,
      null,
      event_types === 'by_permission',
    ]);
    const after = keyIn(row);
    audit(tx, ctx, 'keys.narrow', id, { before: { ...before }, after: { ...after } });
    return { value: after };
  });
}

/**
 * Makes a key in place of another of the location, which ends when the grace has ended. Unless `expires_at` says otherwise, the new one
 * ends with the old one, and no later than the caller's own key. It sees the types of events of its permissions. Throws
 * `permission_denied` naming what the caller's own key may not, and `resource_not_found`; `conflict` for a key that has ended or is of a
 * person, and for a repeat with the same idempotency key.
 */
export function rotate(
  ctx: CallContext,
  { id, grace_hours, expires_at: wantedEnd }: KeyRotate,
): Promise<Answer<KeyRotated>> {
  // Two that replace each other's keys hold one and wait for the other.
  return repeatingDeadlocks(() =>
    inTransaction(ctx, async (tx) => {
      const maker = await holdOwnKey(tx, ctx);
      const before = await holdUsable(tx, ctx, id);
      if (isPersonsKey(before.name)) throw conflict('guarded', ofPerson);
      const { per_minute, monthly, batch_jobs_per_hour, max_items_per_batch } = before;
      const end = before.expires_at === undefined ? null : new Date(before.expires_at);
      if (end !== null && end.getTime() <= Date.now()) throw conflict('guarded', over);
      const wanted: WantedKey = {
        // A permission granted by a newer release is kept, and only `*` grants it.
        permissions: before.permissions,
        limits: { per_minute, monthly, batch_jobs_per_hour, max_items_per_batch },
        expiresAt: wantedEnd === undefined ? earlier(end, maker.expiresAt) : new Date(wantedEnd),
      };
      refuseBeyond(maker, wanted);
      const { code, sandbox } = ctx.caller.location;
      const { name, permissions } = before;
      const made = await storeKey(tx, ctx.caller.locationId, { name, code, sandbox }, wanted);
      const [ended] = await tx.run(endKey, [id, grace_hours]);
      const old = keyIn(ended);
      const { expires_at = null } = made;
      audit(tx, ctx, 'keys.rotate', made.id, {
        before: null,
        after: { name, permissions, expires_at, in_place_of: id },
      });
      audit(tx, ctx, 'keys.rotate', id, {
        before: { expires_at: before.expires_at ?? null },
        after: { expires_at: old.expires_at, replaced_by: made.id },
      });
      const onRepeat = `The Idempotency-Key made the key ${made.id} (${made.prefix}…), whose text is shown once.`;
      return { value: { ...made, old: { id, expires_at: old.expires_at ?? '' } }, onRepeat };
    }),
  );
}

const over = 'The key has ended; make another one.';

const ofPerson =
  'The key is of a person who is signed in to the app: another sign-in makes another key (comanda app code).';

/** A key of the location that is not over, held to the end of the transaction. */
async function holdUsable(tx: Transaction, { caller }: CallContext, id: string): Promise<Key> {
  const [row] = isId(id) ? await tx.run(holdKeyHere, [caller.locationId, id]) : [];
  if (row === undefined) throw notFound('Key');
  const key = keyIn(row);
  if (key.revoked_at !== undefined)
    throw conflict('guarded', 'The key is revoked for good; make another one.');
  return key;
}

/** Revokes a key of the location, the caller's own included; twice changes nothing. Throws `resource_not_found`. */
export function revoke(ctx: CallContext, id: string): Promise<Answer<Key>> {
  return inTransaction(ctx, async (tx) => ({ value: await revokeIn(tx, actorOf(ctx), id) }));
}

/** Throws `permission_denied` naming what a key would grant that its maker has not. */
function refuseBeyond(maker: KeyReach, wanted: WantedKey): void {
  const faults = exceeding(maker, wanted);
  if (faults.length === 0) return;
  const listed = faults.slice(0, 10).map(({ path, message }) => `${path}: ${message}`);
  throw new ApiError('beyond_own_key', `A key may grant no more than it has: ${listed.join('; ')}`);
}

/**
 * The caller's key as the database has it now, held to the end of the transaction: a key that is being revoked, or
 * narrowed, leaves no other behind. Throws `unauthorized`.
 */
async function holdOwnKey(tx: Transaction, { caller }: CallContext): Promise<KeyReach> {
  const [row] = await tx.run(holdKey, [caller.locationId, caller.apiKeyId]);
  if (row === undefined) throw unauthorized('key_not_valid');
  const { name, permissions: granted, expires_at: expiresAt, ...limits } = row;
  return { granted, limits, expiresAt, latestEnd: latestEndOf({ name, expiresAt }, new Date()) };
}
