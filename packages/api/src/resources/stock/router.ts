import { idempotentOperation, operation, router } from '../../call/operation.ts';
import { Stock, StockAdjust, StockList, StockPage, StockSync, StockSyncResult } from './schema.ts';
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
      'Applied at once. An item sets the `quantity`, or changes it by `adjust`; with `expected` only if that is there. A product ' +
      'that is not there, another quantity than expected and a result below zero fail the item; a malformed item, or a product ' +
      'named twice, refuses the whole batch.',
    rest: ['POST /v2/stock/sync'],
    batch: true,
  })
    .input(StockSync)
    .output(StockSyncResult)
    .mutation(({ ctx, input }) => stock.sync(ctx, input)),

  adjust: idempotentOperation({
    permission: 'stock:sync',
    summary: 'Adjust the stock of a product',
    description:
      'Adds to what is there, or takes from it: what comes in or goes out at your side. No batch job is counted. Repeating it with ' +
      'the same key returns the original.',
    rest: ['POST /v2/products/{id}/stock/adjust'],
    errors: ['resource_not_found', 'conflict'],
  })
    .input(StockAdjust)
    .output(Stock)
    .joinedMutation(({ ctx, input }) => stock.adjust(ctx, input)),
});
