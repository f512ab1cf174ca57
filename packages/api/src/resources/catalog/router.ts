import { operation, router } from '../../call/operation.ts';
import { Catalog, PublishedCatalog } from './schema.ts';
import * as catalog from './service.ts';
import { CatalogSync, CatalogSyncResult } from './sync.schema.ts';
import { sync } from './sync.service.ts';

/** Specification: Full catalog; Stock, catalog, menu. */
export const catalogRouter = router({
  get: operation({
    permission: 'catalog:read',
    summary: 'Read the full catalog',
    description:
      'Categories by priority, their products by name; products without a category do not appear. The answer ' +
      'carries an `ETag`: sent back in `If-None-Match`, an unchanged catalog answers 304 without a body.',
    rest: ['GET /v2/catalog'],
    conditional: true,
  })
    .output(Catalog)
    .joinedQuery(({ ctx }) => catalog.get(ctx)),

  sync: operation({
    permission: 'catalog:sync',
    summary: 'Set the catalog',
    description:
      'Applied at once and as a whole. Everything is matched by `external_id`; what is equal already is not ' +
      'touched. `replace` also removes what has an `external_id` and is not named. `warnings` names subselections that no order can satisfy.',
    rest: ['POST /v2/catalog/sync'],
    batch: true,
    // `replace` looks at the whole catalog, however little it names.
    apart: true,
    errors: ['conflict'],
  })
    .input(CatalogSync)
    .output(CatalogSyncResult)
    .mutation(({ ctx, input }) => sync(ctx, input)),

  publish: operation({
    permission: 'catalog:publish',
    summary: 'Publish the catalog',
    description: 'Sends `catalog.updated`.',
  })
    .output(PublishedCatalog)
    .mutation(({ ctx }) => catalog.publish(ctx)),
});
