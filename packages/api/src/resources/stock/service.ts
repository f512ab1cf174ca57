import { isId, type Queryable } from '@comanda/db';
import { refuseLargeBatch, startBatch } from '../../batch.ts';
import { readChanges, readsChanges } from '../../changes/read.ts';
import type { CallContext } from '../../context.ts';
import { answerText } from '../../idempotency.ts';
import { repeatingRaces } from '../../races.ts';
import type { ChangesPage } from '../../wire/changes.ts';
import { planStock, type StockPlan } from './rules.ts';
import type { StockEntry, StockList, StockSync, StockSyncItem, StockSyncResult } from './schema.ts';
import * as sql from './statements.ts';

/** Lists the products that have a stock record, by the moment of its last change, then id. */
export async function list(ctx: CallContext, input: StockList): Promise<ChangesPage<StockEntry>> {
  if (readsChanges(input)) return readChanges(ctx, input, sql.stockChanges);
  const { limit, offset } = input;
  const values = [ctx.caller.locationId, limit, offset];
  const [{ data, total } = { data: '[]', total: 0 }] = await ctx.reads.run(sql.listStock, values);
  return answerText(ctx, `{"data":${data},"pagination":${JSON.stringify({ limit, offset, total })}}`);
}

/**
 * Sets the stock of a batch of products, in one transaction; an unknown product fails its item alone. A dry run
 * answers what would be changed. Throws `validation_error` for more items than the key may send or for a product
 * named twice, `rate_limited` when the hour's batch jobs are used up.
 */
export async function sync(ctx: CallContext, { items, dry_run }: StockSync): Promise<StockSyncResult> {
  const { database } = ctx.app;
  refuseLargeBatch(ctx, items.length);
  // Once without locks: what is refused, or only asked for, starts no batch job and holds up nobody.
  const foreseen = await plan(database, ctx, items);
  if (dry_run) return { ...foreseen.result, dry_run: true, changes: foreseen.changes };
  await startBatch(ctx, items.length);
  if (foreseen.rows.length === 0) return foreseen.result;
  return repeatingRaces(() =>
    database.transaction(ctx.requestId, async (tx) => {
      const owner = ctx.caller.locationId;
      const ids = foreseen.changes.map(({ product_id }) => product_id);
      await tx.run(sql.holdProducts, [owner, ids]);
      await tx.run(sql.lockStock, [owner, ids]);
      const { rows, result } = await plan(tx, ctx, items);
      if (rows.length > 0) await tx.run(sql.writeStock, [owner, JSON.stringify(rows)]);
      return result;
    }),
  );
}

async function plan(on: Queryable, ctx: CallContext, items: readonly StockSyncItem[]): Promise<StockPlan> {
  const named = items.map(({ product_id, external_id, sku }, index) => ({
    index,
    // An id of another form names nothing.
    product_id: product_id !== undefined && isId(product_id) ? product_id : undefined,
    external_id,
    sku,
  }));
  return planStock(items, await on.run(sql.readNamedStock, [ctx.caller.locationId, JSON.stringify(named)]));
}
