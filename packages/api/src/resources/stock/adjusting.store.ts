import { newId } from '@comanda/db';
import { byIndex, type JoinedWrite, type KeyedMember } from '../../capacity/joined-writes.ts';
import { largestDecimal } from '../../wire.ts';
import type { StockAdjust } from './schema.ts';
import { type AdjustedRow, adjustStocks } from './statements.ts';

/** An adjustment of the stock of a product, with its key. */
export interface StockAdjustment extends KeyedMember {
  change: StockAdjust;
}

/**
 * Adjustments of one location that come at once, made in one transaction by adjust_stocks (prisma/sql/products.sql), one after the other:
 * several may be of one product.
 */
export const adjusting: JoinedWrite<StockAdjustment, AdjustedRow | undefined> = {
  resource: 'stock',
  rows: ({ change }) => [change.id],
  joins: (before, { operation, key, apiKeyId }) =>
    before.every((each) => each.operation === operation && (each.key !== key || each.apiKeyId !== apiKeyId)),
  async write(database, locationId, members, alone) {
    const [first] = members;
    const values = [
      ...[locationId, first?.operation, first?.ttlHours, alone, largestDecimal],
      ...[members.map(({ apiKeyId }) => apiKeyId), members.map(({ key }) => key)],
      ...[members.map(({ requestHash }) => requestHash), members.map(({ origin }) => origin)],
      ...[members.map(({ change }) => change.id), members.map(({ change }) => change.adjust)],
      members.map(({ change }) => change.expected ?? null),
      // Each is published as a transaction of its own.
      members.map(() => newId()),
    ];
    return byIndex(await database.run(adjustStocks, values));
  },
};
