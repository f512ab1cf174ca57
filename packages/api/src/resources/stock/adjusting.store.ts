import { newId } from '@comanda/db';
import { byIndex, type JoinedWrite, type KeyedMember } from '../../capacity/joined-writes.ts';
import { largestDecimal } from '../../wire.ts';
import type { StockAdjust } from './schema.ts';
import { type AdjustedRow, adjustStockBatch } from './statements.ts';

/** An adjustment of the stock of a product, with its key. */
export interface StockAdjustment extends KeyedMember {
  change: StockAdjust;
}

/**
 * Adjustments of one location that come at once, made in one transaction by adjust_stock_batch (prisma/sql/products.sql), one after the other:
 * several may be of one product.
 */
export const adjusting: JoinedWrite<StockAdjustment, AdjustedRow | undefined> = {
  resource: 'stock',
  rows: ({ change }) => [change.id],
  joins: (before, { operation, key, apiKeyId }) =>
    before.every((each) => each.operation === operation && (each.key !== key || each.apiKeyId !== apiKeyId)),
  async write(database, locationId, members, alone) {
    const [first] = members;
    const calls = {
      operation: first?.operation,
      ttl_hours: first?.ttlHours,
      most: largestDecimal,
      api_keys: members.map(({ apiKeyId }) => apiKeyId),
      keys: members.map(({ key }) => key),
      request_hashes: members.map(({ requestHash }) => `\\x${requestHash.toString('hex')}`),
      request_ids: members.map(({ origin }) => origin),
      products: members.map(({ change }) => change.id),
      adjusts: members.map(({ change }) => change.adjust),
      expected: members.map(({ change }) => change.expected ?? null),
      // Each is published as a transaction of its own.
      seeds: members.map(() => newId()),
    };
    return byIndex(await database.run(adjustStockBatch, [locationId, alone, calls]));
  },
};
