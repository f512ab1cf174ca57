import { type FieldFault, invalid } from '../../errors.ts';
import { fieldChanges } from './changes.schema.ts';
import { productNames, type StockChange, type StockSyncItem, type StockSyncResult } from './schema.ts';

/** The product that an item names, with its stock; the values of a product without a record are those of a new one. */
export interface CurrentStock {
  index: number;
  product_id: string;
  record: boolean;
  enabled: boolean;
  quantity: number;
  min_stock_alarm: number;
}

/** A stock record to write. */
export interface StockRow {
  product_id: string;
  enabled: boolean;
  quantity: number;
  min_stock_alarm: number;
}

/** What a batch comes to. */
export interface StockPlan {
  /** What differs from what is there, and nothing else. */
  rows: StockRow[];
  changes: StockChange[];
  result: StockSyncResult;
}

/**
 * Decides what becomes of each item; what is left out keeps its value. An item whose product is not there fails
 * alone. Throws `validation_error` when two items name the same product in different ways.
 */
export function planStock(items: readonly StockSyncItem[], current: readonly CurrentStock[]): StockPlan {
  refuseRepeated(items, current);
  const found = new Map(current.map((row) => [row.index, row]));
  const plan: StockPlan = {
    rows: [],
    changes: [],
    result: { total_items: items.length, success_items: 0, failed_items: 0, errors: [] },
  };
  for (const [index, item] of items.entries()) {
    const before = found.get(index);
    if (before === undefined) {
      const message = `There is no product with ${nameOf(item)} ${item[nameOf(item)]}.`;
      plan.result.errors.push({ index, code: 'resource_not_found', message });
      continue;
    }
    const row = {
      product_id: before.product_id,
      enabled: item.enabled ?? before.enabled,
      quantity: item.quantity,
      min_stock_alarm: item.min_stock_alarm ?? before.min_stock_alarm,
    };
    const changes = fieldChanges<StockRow>(before.record ? before : undefined, row, fields);
    const action = !before.record ? 'created' : changes.length > 0 ? 'updated' : 'unchanged';
    if (action !== 'unchanged') plan.rows.push(row);
    plan.changes.push({ index, product_id: row.product_id, action, changes });
  }
  plan.result.failed_items = plan.result.errors.length;
  plan.result.success_items = items.length - plan.result.errors.length;
  return plan;
}

const fields = { enabled: 'enabled', quantity: 'quantity', min_stock_alarm: 'min_stock_alarm' };

const nameOf = (item: StockSyncItem) =>
  productNames.find((name) => item[name] !== undefined) ?? productNames[0];

function refuseRepeated(items: readonly StockSyncItem[], current: readonly CurrentStock[]): void {
  const first = new Map<string, number>();
  const faults: FieldFault[] = [];
  for (const { index, product_id } of current) {
    const earlier = first.get(product_id);
    const item = items[index];
    if (earlier === undefined) first.set(product_id, index);
    else if (item !== undefined) {
      faults.push({
        path: `items[${index}].${nameOf(item)}`,
        message: `names the same product as items[${earlier}]`,
      });
    }
  }
  if (faults.length > 0) throw invalid(...faults);
}
