import { isId } from '@comanda/db';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import { runBatch } from '../bulk/service.ts';
import type { ChangesPage } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import { planStock } from './rules.ts';
import type { StockEntry, StockList, StockSync, StockSyncResult } from './schema.ts';
import * as sql from './statements.ts';

/** Lists the products that have a stock record, by the moment of its last change, then id. */
export async function list(ctx: CallContext, input: StockList): Promise<Answer<ChangesPage<StockEntry>>> {
  if (readsChanges(input)) return readChanges(ctx, input, sql.stockChanges);
  return readPage(ctx, sql.listStock, input);
}

/**
 * Sets the stock of a batch of products, in one transaction; an unknown product fails its item alone. A dry run
 * answers what would be changed. Throws `validation_error` for more items than the key may send or for a product
 * named twice, `rate_limited` when the hour's batch jobs are used up.
 */
export async function sync(
  ctx: CallContext,
  { items, dry_run }: StockSync,
): Promise<Answer<StockSyncResult>> {
  return runBatch(
    ctx,
    {
      asked: {
        products: {
          // An id of another form names nothing.
          ids: items.flatMap(({ product_id: id }) => (id !== undefined && isId(id) ? id : [])),
          externalIds: items.flatMap(({ external_id }) => external_id ?? []),
          skus: items.flatMap(({ sku }) => sku ?? []),
        },
        stock: true,
      },
      plan: (current) => planStock(items, current),
    },
    { size: items.length, path: 'items', dryRun: dry_run },
    ({ changes, result }) => ({ ...result, ...(dry_run && { dry_run: true, changes }) }),
  );
}
