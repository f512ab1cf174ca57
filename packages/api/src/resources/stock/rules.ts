import { largestDecimal } from '../../wire.ts';
import { findNamed, nameOf, refuseRepeated } from '../bulk/named-products.rules.ts';
import type { Current, StockRow, Writes } from '../bulk/rows.rules.ts';
import { actionOf, by, emptyWrites, settleStock } from '../bulk/rules.ts';
import type { StockChange, StockSyncItem, StockSyncResult } from './schema.ts';

/** The outcome of a batch. */
export interface StockPlan {
  writes: Writes;
  changes: StockChange[];
  result: StockSyncResult;
}

/**
 * Decides what becomes of each item; what is left out keeps its value. An item whose product is not there fails
 * alone, and so does one that expects another quantity or whose result is none. Throws `validation_error` when two items name the same product in different ways.
 */
export function planStock(items: readonly StockSyncItem[], { products, stock }: Current): StockPlan {
  const found = findNamed(items, products);
  refuseRepeated('items', items, found);
  const stocks = by(stock, ({ product_id }) => product_id);
  const writes = emptyWrites();
  const changes: StockChange[] = [];
  const errors: StockSyncResult['errors'] = [];
  for (const [index, item] of items.entries()) {
    const { enabled, min_stock_alarm } = item;
    const product_id = found[index]?.id;
    if (product_id === undefined) {
      errors.push({ index, code: 'resource_not_found', message: unknown(item) });
      continue;
    }
    const before = stocks.get(product_id);
    const settled = settledQuantity(item, before);
    if ('message' in settled) {
      const { message, quantity } = settled;
      errors.push({ index, code: 'conflict', message, ...(quantity !== undefined && { quantity }) });
      continue;
    }
    const { quantity } = settled;
    const fields = settleStock(writes, product_id, { enabled, quantity, min_stock_alarm }, before, '')();
    changes.push({ index, product_id, action: actionOf(before, fields), changes: fields });
  }
  const counts = {
    total_items: items.length,
    success_items: changes.length,
    failed_items: errors.length,
  };
  return { writes, changes, result: { ...counts, errors } };
}

/** The refusal of a change of stock, and the actual stock. */
export interface StockConflict {
  reason: 'stock_changed' | 'stock_range';
  message: string;
  quantity?: number;
}

/** Decides what an item makes of the quantity that is there. */
export function settledQuantity(
  { quantity, adjust = 0, expected }: Pick<StockSyncItem, 'quantity' | 'adjust' | 'expected'>,
  before: Pick<StockRow, 'quantity'> | undefined,
): { quantity: number } | StockConflict {
  const there = before?.quantity;
  if (there === undefined) {
    if (quantity !== undefined && expected === undefined) return { quantity };
    return { reason: 'stock_changed', message: 'The product has no stock yet: send its quantity alone.' };
  }
  if (expected !== undefined && expected !== there)
    return { reason: 'stock_changed', message: `There are ${there}, not ${expected}.`, quantity: there };
  if (quantity !== undefined) return { quantity };
  // Both have 3 decimals at most: their sum in thousandths is exact.
  const sum = Math.round(there * 1000) + Math.round(adjust * 1000);
  if (sum < 0 || sum > largestDecimal * 1000)
    return {
      reason: 'stock_range',
      message:
        sum < 0
          ? `There are ${there}, so ${-adjust} cannot be taken.`
          : `There are ${there}: with ${adjust} there would be more than ${largestDecimal}.`,
      quantity: there,
    };
  return { quantity: sum / 1000 };
}

const unknown = (item: StockSyncItem) => `There is no product with ${nameOf(item)} ${item[nameOf(item)]}.`;
