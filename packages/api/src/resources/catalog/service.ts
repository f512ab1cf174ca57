import type { Queryable } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import { matchesEtag } from '../../call/conditional.ts';
import type { CallContext, JoinedCall } from '../../call/context.ts';
import { withSlot } from '../../call/joined-calls.ts';
import { originOf } from '../../call/request-id.ts';
import { inTransaction } from '../../call/writing.ts';
import type { Catalog, PublishedCatalog } from './schema.ts';
import * as sql from './statements.ts';
import { currentVersions } from './version.store.ts';

/**
 * Reads the whole catalog with its version and entity tag, and builds nothing for a caller who has it already.
 * Specification: Full catalog.
 */
export async function get(ctx: JoinedCall): Promise<Answer<Catalog>> {
  const { locationId } = ctx.caller;
  if (ctx.ifNoneMatch !== undefined) {
    const current = await ctx.app.capacity.joinedReads.read(currentVersions, locationId);
    if (current !== undefined && matchesEtag(ctx.ifNoneMatch, etagOf(locationId, current)))
      return { unchanged: true, etag: etagOf(locationId, current) };
  }
  // Whether it is still the same is asked together with others; the tree is built for one.
  const built = await withSlot(ctx, build);
  const etag = etagOf(locationId, built);
  // A change may show nowhere: of a product without a category.
  if (ctx.ifNoneMatch !== undefined && matchesEtag(ctx.ifNoneMatch, etag)) return { unchanged: true, etag };
  const text = `{"location_id":"${locationId}","version":"${built.version}","categories":${built.categories}}`;
  return { text, etag };
}

/** Announces that the catalog is published: `catalog.updated`, with or without a change. */
export function publish(ctx: CallContext): Promise<Answer<PublishedCatalog>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const [captured] = await tx.run(sql.capturePublication, [locationId]);
    if (captured === undefined) throw new Error('the location of the key is gone');
    audit(tx, ctx, 'catalog.publish', locationId, { before: null, after: captured });
    return { value: captured };
  });
}

/** The version of all that is committed by now, as answers show it. */
export async function currentVersion(ctx: CallContext): Promise<string> {
  return (await stamp(ctx)).version;
}

async function stamp({ app, caller }: CallContext): Promise<{ version: string; epoch: string }> {
  const [stamped] = await app.database.run(sql.stampVersion, [caller.locationId]);
  if (stamped === undefined) throw new Error('the location of the key is gone');
  return stamped;
}

type Built = { categories: string } & sql.StampedVersion;

/** How often a state that was overtaken is built again before others have to wait for it. */
const freeAttempts = 3;

async function build(ctx: CallContext): Promise<Built> {
  const { database } = ctx.app;
  for (let attempt = 1; attempt <= freeAttempts; attempt++) {
    const built = await readOnce(database, ctx);
    if (built !== undefined) return built;
  }
  return database.transaction(originOf(ctx), async (tx) => {
    await tx.run(sql.holdVersion, [ctx.caller.locationId]);
    const built = await readOnce(tx, ctx);
    if (built === undefined) throw new Error('a version was overtaken while it was held');
    return built;
  });
}

async function readOnce(on: Queryable, ctx: CallContext): Promise<Built | undefined> {
  const [row] = await on.run(sql.readCatalog, [ctx.caller.locationId]);
  if (row === undefined) throw new Error('the location of the key is gone');
  return row.milliseconds === null ? undefined : row;
}

// A version identifies one state of one history, the format one way to show it; keys of two locations share the path.
const etagOf = (locationId: string, { milliseconds, epoch, format }: sql.StampedVersion) =>
  `"${milliseconds}-${epoch}-${format}-${locationId.slice(-12)}"`;
