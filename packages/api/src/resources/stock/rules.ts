import { type FieldFault, invalid } from '../../errors.ts';
import type { Current, Writes } from '../bulk/rows.rules.ts';
import { actionOf, by, emptyWrites, settleStock } from '../bulk/rules.ts';
import { productNames, type StockChange, type StockSyncItem, type StockSyncResult } from './schema.ts';

/** What a batch comes to. */
export interface StockPlan {
  writes: Writes;
  changes: StockChange[];
  result: StockSyncResult;
}

/**
 * Decides what becomes of each item; what is left out keeps its value. An item whose product is not there fails
 * alone. Throws `validation_error` when two items name the same product in different ways.
 */
export function planStock(items: readonly StockSyncItem[], { products, stock }: Current): StockPlan {
  const known = {
    product_id: by(products, ({ id }): string | null => id),
    external_id: by(products, ({ external_id }) => external_id),
    sku: by(products, ({ sku }): string | null => sku),
  };
  const ids = items.map((item) => known[nameOf(item)].get(item[nameOf(item)] ?? '')?.id);
  refuseRepeated(items, ids);
  const stocks = by(stock, ({ product_id }) => product_id);
  const writes = emptyWrites();
  const changes: StockChange[] = [];
  const errors: StockSyncResult['errors'] = [];
  for (const [index, item] of items.entries()) {
    const { enabled, quantity, min_stock_alarm } = item;
    const product_id = ids[index];
    if (product_id === undefined) {
      errors.push({ index, code: 'resource_not_found', message: unknown(item) });
      continue;
    }
    const before = stocks.get(product_id);
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

const nameOf = (item: StockSyncItem) =>
  productNames.find((name) => item[name] !== undefined) ?? productNames[0];

const unknown = (item: StockSyncItem) => `There is no product with ${nameOf(item)} ${item[nameOf(item)]}.`;

function refuseRepeated(items: readonly StockSyncItem[], ids: readonly (string | undefined)[]): void {
  const first = new Map<string, number>();
  const faults: FieldFault[] = [];
  for (const [index, item] of items.entries()) {
    const id = ids[index];
    if (id === undefined) continue;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else
      faults.push({
        path: `items[${index}].${nameOf(item)}`,
        message: `names the same product as items[${earlier}]`,
      });
  }
  if (faults.length > 0) throw invalid(faults);
}
