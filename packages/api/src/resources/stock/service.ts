import { isId } from '@comanda/db';
import { conflict, notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import { repeatingRaces } from '../../request/races.ts';
import { inTransaction } from '../../request/writing.ts';
import type { Current } from '../bulk/rows.rules.ts';
import { emptyWrites, settleStock } from '../bulk/rules.ts';
import { runBatch } from '../bulk/service.ts';
import { apply } from '../bulk/store.ts';
import type { ChangesPage } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import { planStock, settledQuantity } from './rules.ts';
import type { Stock, StockAdjust, StockEntry, StockList, StockSync, StockSyncResult } from './schema.ts';
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
      plan: (current) =>
        planStock(items, ctx.simulation?.fault === 'item_fails' ? withoutFirst(items, current) : current),
    },
    { size: items.length, path: 'items', dryRun: dry_run },
    ({ changes, result }) => ({ ...result, ...(dry_run && { dry_run: true, changes }) }),
  );
}

/** The other names there are, as if the product of the first item did not exist. */
function withoutFirst([first]: StockSync['items'], current: Current): Current {
  const isFirst = ({ id, external_id, sku }: Current['products'][number]) =>
    first?.product_id === id ||
    first?.sku === sku ||
    (first?.external_id !== undefined && first.external_id === external_id);
  return { ...current, products: current.products.filter((product) => !isFirst(product)) };
}

/**
 * Adds to the stock of a product, or takes from it. Throws `resource_not_found`, also for a product without stock, and
 * `conflict` when something else is there than expected, or the result would be no quantity.
 */
export async function adjust(ctx: CallContext, { id, ...change }: StockAdjust): Promise<Answer<Stock>> {
  if (!isId(id)) throw notFound('Product');
  return repeatingRaces(() =>
    inTransaction(ctx, async (tx) => {
      const { value } = await apply(tx, ctx.caller.locationId, {
        asked: { products: { ids: [id], externalIds: [], skus: [] }, stock: true },
        plan({ products, stock: [before] }) {
          if (products.length === 0) throw notFound('Product');
          if (before === undefined) throw notFound('Product stock');
          const settled = settledQuantity(change, before);
          if ('message' in settled) throw conflict(settled.reason, settled.message);
          const writes = emptyWrites();
          settleStock(writes, id, settled, before);
          const { enabled, min_stock_alarm } = before;
          return { writes, value: { enabled, quantity: settled.quantity, min_stock_alarm } };
        },
      });
      return { value };
    }),
  );
}
