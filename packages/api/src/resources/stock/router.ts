import { operation, router } from '../../request/operation.ts';
import { StockList, StockPage, StockSync, StockSyncResult } from './schema.ts';
import * as stock from './service.ts';

/** Specification: Stock, catalog, menu. */
export const stockRouter = router({
  list: operation({
    permission: 'stock:read',
    summary: 'List stock',
    description:
      'Every product that has a stock record, by the moment of its last change, then id. With `updated_since` the ' +
      'answer has a `Link` to follow, again and again: nothing that changes is missed.',
    rest: ['GET /v2/stock'],
  })
    .input(StockList)
    .output(StockPage)
    .query(({ ctx, input }) => stock.list(ctx, input)),

  sync: operation({
    permission: 'stock:sync',
    summary: 'Set the stock of many products',
    description:
      'Applied at once. A product that is not there fails its item; a malformed item, or a product named ' +
      'twice, refuses the whole batch.',
    rest: ['POST /v2/stock/sync'],
    batch: true,
  })
    .input(StockSync)
    .output(StockSyncResult)
    .mutation(({ ctx, input }) => stock.sync(ctx, input)),
});
