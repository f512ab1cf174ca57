import type { Answer } from '../../call/answer.ts';
import { actorOf } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { readsFor, refuseLeft } from '../../call/left.ts';
import { repeatingRaces } from '../../call/races.ts';
import { inTransaction } from '../../call/writing.ts';
import type { Caller, Credentials } from '../../credentials/credentials.ts';
import { ApiError } from '../../errors.ts';
import { grants } from '../../permissions.ts';
import type { MenuCopied, MenuCopy } from './copy.schema.ts';
import { copyIn, foreseeCopy, readSource, unusable } from './copy.store.ts';

/**
 * Copies the menu of the location of another key to the caller's, in one transaction; a dry run only returns the difference. Throws
 * `validation_error` for a key that is none or may not read the menu there, and for what cannot be found again by its name,
 * `conflict` for a SKU that another product has here, `changed_since` where the difference is not the one that was `seen`.
 */
export async function copy(
  ctx: CallContext,
  { from_key, dry_run, seen }: MenuCopy,
): Promise<Answer<MenuCopied>> {
  const { capacity } = ctx.app;
  const to = ctx.caller.location;
  if (!grants(ctx.caller.granted, 'catalog:sync'))
    throw new ApiError('permission_missing', 'The key lacks the permission catalog:sync.');
  const from = await locationOf(ctx, from_key);
  const reads = readsFor(ctx);
  const difference = await foreseeCopy(reads, { from, to }, ctx.left);
  if (dry_run === true) return { value: difference };
  const source = await readSource(reads, from);
  return capacity.bulkWrites.run(to.id, () => {
    refuseLeft(ctx);
    return repeatingRaces(() =>
      inTransaction(ctx, async (tx) => ({
        value: await copyIn(tx, actorOf(ctx), { from, to, source }, seen),
      })),
    );
  });
}

/** The location that a key of it may have read. Throws `validation_error`. */
async function locationOf({ app }: CallContext, key: string): Promise<Caller['location']> {
  const caller = await callerOf(app.credentials, key).catch((error: unknown) => {
    // A 401 would say that the caller's own key has expired.
    if (error instanceof ApiError && error.status < 500) throw unusable('must be a key that is valid here');
    throw error;
  });
  for (const needed of ['catalog:read', 'menus:read'] as const)
    if (!grants(caller.granted, needed)) throw unusable(`lacks the permission ${needed}`);
  return caller.location;
}

const callerOf = async (credentials: Credentials, key: string): Promise<Caller> =>
  credentials.authenticate(`Bearer ${key}`);
