import { createHash } from 'node:crypto';
import { isId, type Queryable, type Statement } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { repeatingDeadlocks } from '../../call/races.ts';
import { inTransaction } from '../../call/writing.ts';
import { ApiError, notFound } from '../../errors.ts';
import { holdBulkWrites } from '../bulk/statements.ts';
import { type Priced, pricesAfter } from './prices.rules.ts';
import type { PriceChange, PricesChanged } from './prices.schema.ts';
import { holdPrices, type PricedRow, readPrices, writePrices } from './prices.statements.ts';

/**
 * Changes the price of every product of a category by an amount or a percentage, all or none; a dry run only returns
 * the outcome. The history of the products records it. Throws `resource_not_found`, `changed_since` where the products
 * or prices are not those that were `seen`, and `validation_error` where a price would be below zero or too large.
 */
export async function changePrices(ctx: CallContext, input: PriceChange): Promise<Answer<PricesChanged>> {
  const { id, dry_run, seen } = input;
  const { locationId } = ctx.caller;
  if (!isId(id)) throw notFound('Category');
  const decide = async (on: Queryable, statement: Statement<PricedRow>): Promise<PricesChanged> => {
    const products = await read(on, statement, [locationId, id]);
    const found = { products: pricesAfter(products, input), seen: stateOf(products) };
    if (seen !== undefined && seen !== found.seen) throw changed();
    return found;
  };
  if (dry_run === true) return { value: await decide(ctx.app.database, readPrices) };
  return repeatingDeadlocks(() =>
    inTransaction(ctx, async (tx) => {
      await tx.run(holdBulkWrites, [locationId]);
      const decided = await decide(tx, holdPrices);
      const differing = decided.products.filter(({ before, after }) => before !== after);
      if (differing.length > 0)
        await tx.run(writePrices, [
          locationId,
          differing.map((product) => product.id),
          differing.map(({ after }) => after),
        ]);
      return { value: decided };
    }),
  );
}

async function read(
  on: Queryable,
  statement: Statement<PricedRow>,
  values: [string, string],
): Promise<Priced[]> {
  const rows = await on.run(statement, values);
  if (rows.length === 0) throw notFound('Category');
  return rows
    .flatMap(({ id, name, price }) =>
      id === null || name === null || price === null ? [] : [{ id, name, price }],
    )
    .sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1));
}

const stateOf = (products: readonly Priced[]): string =>
  createHash('sha256')
    .update(JSON.stringify(products.map(({ id, price }) => [id, price])))
    .digest('base64url');

const changed = (): ApiError =>
  new ApiError(
    'changed_since',
    'The products of the category or their prices were changed since they were read. Read them again, and repeat the change.',
  );
