import { type Queryable, statement } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import { matchesEtag } from '../../call/conditional.ts';
import type { CallContext, JoinedCall } from '../../call/context.ts';
import { withSlot } from '../../call/joined-calls.ts';
import { originOf } from '../../call/request-id.ts';
import { inTransaction } from '../../call/writing.ts';
import type { JoinedRead } from '../../capacity/joined-reads.ts';
import type { Catalog, PublishedCatalog } from './schema.ts';

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

/**
 * The version of a location's present catalog, by the location's id; none when it was not read since it changed. Read
 * for every request, once for all that wait together: that is all that an unchanged catalog costs.
 */
const currentVersions: JoinedRead<string, StampedVersion> = {
  textOf: (locationId) => locationId,
  async read(database, ids) {
    const rows = await database.run(readCurrentVersions, [ids]);
    return new Map(rows.map((row) => [row.location_id, row]));
  },
};

/** Announces that the catalog is published: `catalog.updated`, with or without a change. */
export function publish(ctx: CallContext): Promise<Answer<PublishedCatalog>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const [captured] = await tx.run(capturePublication, [locationId]);
    if (captured === undefined) throw new Error('the location of the key is gone');
    audit(tx, ctx, 'catalog.publish', locationId, { before: null, after: captured });
    return { value: captured };
  });
}

/** The version of all that is committed by now, as answers show it. */
export async function currentVersion({ app, caller }: CallContext): Promise<string> {
  const [current] = await app.database.run(stampVersion, [caller.locationId]);
  if (current === undefined) throw new Error('the location of the key is gone');
  return current.version;
}

type Built = { categories: string } & StampedVersion;

/** How often a state that was overtaken is built again before others have to wait for it. */
const freeAttempts = 3;

async function build(ctx: CallContext): Promise<Built> {
  const { database } = ctx.app;
  for (let attempt = 1; attempt <= freeAttempts; attempt++) {
    const built = await readOnce(database, ctx);
    if (built !== undefined) return built;
  }
  return database.transaction(originOf(ctx), async (tx) => {
    await tx.run(holdVersion, [ctx.caller.locationId]);
    const built = await readOnce(tx, ctx);
    if (built === undefined) throw new Error('a version was overtaken while it was held');
    return built;
  });
}

async function readOnce(on: Queryable, ctx: CallContext): Promise<Built | undefined> {
  const [row] = await on.run(readCatalog, [ctx.caller.locationId]);
  if (row === undefined) throw new Error('the location of the key is gone');
  return row.milliseconds === null ? undefined : row;
}

// A version identifies one state of one history, the format one way to show it; keys of two locations share the path.
const etagOf = (locationId: string, { milliseconds, epoch, format }: StampedVersion) =>
  `"${milliseconds}-${epoch}-${format}-${locationId.slice(-12)}"`;

// Not Prisma: the whole tree is built by Postgres as text in one statement (prisma/sql/catalog.sql), and its
// version is found by a sum of few rows. tests/api/catalog.test.ts holds the text equal to the plain Prisma query.

/** A version, and the format of the text that it is shown in. */
interface StampedVersion {
  /** In milliseconds, as text. */
  milliseconds: string;
  /** As answers show it. */
  version: string;
  /** The history of the database in which it was given: see database_epoch. */
  epoch: string;
  format: string;
}

const stamped = (
  moment: string,
  epoch: string,
) => `(extract(epoch from ${moment}) * 1000)::bigint as milliseconds,
  wire_time(${moment}, l.timezone) as version, ${epoch} as epoch, catalog_format() as format`;

/**
 * $1 locations. The version of the present state; no row for a location whose catalog was not read since it changed.
 */
const readCurrentVersions = statement<StampedVersion & { location_id: string }>(
  'read_catalog_versions',
  `select v.location_id, ${stamped('v.version', 'v.epoch')}
   from internal.catalog_versions v join locations l on l.id = v.location_id
   where v.location_id = any ($1::uuid[]) and v.epoch = database_epoch() and v.token = catalog_token(v.location_id)`,
);

/**
 * $1 location. The tree and its version, which is null when a later state got its version while this one was
 * built: then it must be built again. The zone is in the digest because the version is shown in it.
 */
const readCatalog = statement<{ categories: string } & (StampedVersion | { milliseconds: null })>(
  'read_catalog',
  `select t.categories, ${stamped('s.version', 'database_epoch()')}
   from locations l, catalog_tree(l.id) t, lateral (
     select stamp_catalog_text(l.id, t.token, md5(l.timezone || t.categories)) as version) s
   where l.id = $1::uuid`,
);

/** $1 location. To the end of the transaction no other one gives a later state its version. */
const holdVersion = statement('hold_catalog_version', 'select hold_catalog_version($1::uuid)');

/** $1 location. The version of all that is committed by now. */
const stampVersion = statement<{ version: string }>(
  'stamp_catalog_version',
  `select wire_time(v.version, l.timezone) as version
   from locations l, lateral (select catalog_version(l.id) as version) v where l.id = $1::uuid`,
);

/** $1 location. The relay makes a catalog.updated of it. */
const capturePublication = statement<{ published_at: string }>(
  'capture_catalog_publication',
  `with captured as (
     insert into internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog)
     values ($1::uuid, 'catalog', 'publish', array[$1::uuid], true) returning location_id
   )
   select wire_time(catalog_version(l.id), l.timezone) as published_at from captured c join locations l on l.id = c.location_id`,
);
