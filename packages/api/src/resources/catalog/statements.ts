import { statement } from '@comanda/db';

// Not Prisma: the whole tree is built by Postgres as text in one statement (prisma/sql/catalog.sql), and its
// version is found by a sum of few rows. tests/api/catalog.test.ts holds the text equal to the plain Prisma query.

/** A version, and the format of the text that it is shown in. */
export interface StampedVersion {
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
export const readCurrentVersions = statement<StampedVersion & { location_id: string }>(
  'read_catalog_versions',
  `select v.location_id, ${stamped('v.version', 'v.epoch')}
   from internal.catalog_versions v join locations l on l.id = v.location_id
   where v.location_id = any ($1::uuid[]) and v.epoch = database_epoch() and v.token = catalog_token(v.location_id)`,
);

/**
 * $1 location. The tree and its version, which is null when a later state got its version while this one was
 * built: then it must be built again. The zone is in the digest because the version is shown in it.
 */
export const readCatalog = statement<{ categories: string } & (StampedVersion | { milliseconds: null })>(
  'read_catalog',
  `select t.categories, ${stamped('s.version', 'database_epoch()')}
   from locations l, catalog_tree(l.id) t, lateral (
     select stamp_catalog_text(l.id, t.token, md5(l.timezone || t.categories)) as version) s
   where l.id = $1::uuid`,
);

/** $1 location. To the end of the transaction no other one gives a later state its version. */
export const holdVersion = statement('hold_catalog_version', 'select hold_catalog_version($1::uuid)');

/** $1 location. The version of all that is committed by now. */
export const stampVersion = statement<{ version: string; epoch: string }>(
  'stamp_catalog_version',
  `select wire_time(v.version, l.timezone) as version, database_epoch() as epoch
   from locations l, lateral (select catalog_version(l.id) as version) v where l.id = $1::uuid`,
);

/** $1 location. The relay makes a catalog.updated of it. */
export const capturePublication = statement<{ published_at: string }>(
  'capture_catalog_publication',
  `with captured as (
     insert into internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog)
     values ($1::uuid, 'catalog', 'publish', array[$1::uuid], true) returning location_id
   )
   select wire_time(catalog_version(l.id), l.timezone) as published_at from captured c join locations l on l.id = c.location_id`,
);
