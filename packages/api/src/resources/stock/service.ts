import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext, JoinedCall } from '../../call/context.ts';
import { keyReused } from '../../call/idempotency.ts';
import { readPage } from '../../call/page-text.ts';
import { repeatingRaces } from '../../call/races.ts';
import { makerOf } from '../../call/request-id.ts';
import { conflict, notFound } from '../../errors.ts';
import { productsNamed } from '../bulk/reads.statements.ts';
import type { Current } from '../bulk/rows.rules.ts';
import { runBatch } from '../bulk/service.ts';
import type { ChangesPage } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import { adjusting, type StockAdjustment } from './adjusting.store.ts';
import { planStock, settledQuantity } from './rules.ts';
import type { Stock, StockAdjust, StockEntry, StockList, StockSync, StockSyncResult } from './schema.ts';
import type { AdjustedRow } from './statements.ts';
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
        products: productsNamed(items),
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
 * Adds to the stock of a product, or takes from it; calls that arrive at once share a transaction. Throws `resource_not_found`, also for
 * a product without stock, and `conflict` when something else is there than expected, or the result would be no quantity.
 */
export async function adjust(ctx: JoinedCall, change: StockAdjust): Promise<Answer<Stock>> {
  if (!isId(change.id)) throw notFound('Product');
  const { locationId } = ctx.caller;
  const member = adjustmentOf(ctx, change);
  const joined = await repeatingRaces(() =>
    ctx.app.capacity.joinedWrites.write(adjusting, locationId, member),
  );
  // Another process does a call with the same key: that is waited for, and no other call waits behind it.
  const adjusted =
    joined?.outcome === 'busy'
      ? await repeatingRaces(() => ctx.app.capacity.joinedWrites.writeAlone(adjusting, locationId, member))
      : joined;
  return answerOf(adjusted, change);
}

function adjustmentOf(ctx: JoinedCall, change: StockAdjust): StockAdjustment {
  const { app, idempotency, caller } = ctx;
  if (idempotency === undefined) throw new Error('an adjustment needs an idempotency key');
  const { operation, key, requestHash } = idempotency;
  return {
    change,
    apiKeyId: caller.apiKeyId,
    operation,
    key,
    requestHash,
    ttlHours: app.policy.idempotencyTtlHours,
    origin: makerOf(ctx),
  };
}

function answerOf(adjusted: AdjustedRow | undefined, change: StockAdjust): Answer<Stock> {
  const { outcome, response } = adjusted ?? {};
  if (outcome === 'reused') throw keyReused();
  if (outcome === 'nothing') throw notFound('Product');
  if (outcome === 'unknown') throw notFound('Product stock');
  if (response == null) throw new Error(`an adjustment ended without an answer: ${outcome}`);
  if (outcome !== 'refused') return { text: response, ...(outcome === 'replayed' && { replayed: true }) };
  const refusal = settledQuantity(change, { quantity: Number(response) });
  if ('message' in refusal) throw conflict(refusal.reason, refusal.message);
  throw new Error(`an adjustment by ${change.adjust} of ${response} was refused`);
}
