import { isId } from '@comanda/db';
import type { CallContext } from '../../context.ts';
import { answerText } from '../../idempotency.ts';
import type { Page } from '../../wire.ts';
import { runBatch } from '../bulk/engine.ts';
import { planStock } from './rules.ts';
import type { StockEntry, StockList, StockSync, StockSyncResult } from './schema.ts';
import * as sql from './statements.ts';

/** Lists the products that have a stock record, by the moment of its last change, then id. */
export async function list(
  ctx: CallContext,
  { limit, offset, updated_since }: StockList,
): Promise<Page<StockEntry>> {
  const values = [ctx.caller.locationId, limit, offset];
  const [{ data, total } = { data: '[]', total: 0 }] =
    updated_since === undefined
      ? await ctx.reads.run(sql.listStock, values)
      : await ctx.reads.run(sql.listStockSince, [...values, moment(updated_since)]);
  return answerText(ctx, `{"data":${data},"pagination":${JSON.stringify({ limit, offset, total })}}`);
}

/**
 * Sets the stock of a batch of products, in one transaction; an unknown product fails its item alone. A dry run
 * answers what would be changed. Throws `validation_error` for more items than the key may send or for a product
 * named twice, `rate_limited` when the hour's batch jobs are used up.
 */
export async function sync(ctx: CallContext, { items, dry_run }: StockSync): Promise<StockSyncResult> {
  const { changes, result } = await runBatch(
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
  );
  return { ...result, ...(dry_run && { dry_run: true, changes }) };
}

// Postgres knows neither a year before 1 nor offsets of 16 hours and more.
const moment = (text: string) => new Date(Math.max(Date.parse(text), Date.parse('0001-01-01T00:00:00Z')));
