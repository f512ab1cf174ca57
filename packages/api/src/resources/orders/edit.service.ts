import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { repeatingDeadlocks } from '../../call/races.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inTransaction } from '../../call/writing.ts';
import { ApiError, conflict, invalid, notFound } from '../../errors.ts';
import { isPersonsKey } from '../keys/schema.ts';
import { decimalText, scaled } from './decimals.rules.ts';
import { editLines, type LinesEdit, type Taken } from './edit.rules.ts';
import type { OrderEdit } from './edit.schema.ts';
import { editOrder, holdOrder, readEdited } from './edit.statements.ts';
import { readFactsIn } from './facts.store.ts';
import { carriedColumns } from './placing.store.ts';
import type { Order } from './schema.ts';

/**
 * Edits an order while it is pending: its lines, with their stock, and whom and when it is for. Its pending payment takes the new total. Throws
 * `resource_not_found`, `precondition_required` for lines without `If-Match`, `changed_since`, `conflict` when it is no longer pending, or when
 * the total of one that is paid would change, else `validation_error` naming every failing field. Contract: 13.14.
 */
export async function edit(ctx: CallContext, { id, items, ...given }: OrderEdit): Promise<Answer<Order>> {
  if (!isId(id)) throw notFound('Order');
  const { locationId, apiKeyId, keyName } = ctx.caller;
  return repeatingDeadlocks(() =>
    inTransaction(ctx, async (tx) => {
      const [held] = await tx.run(holdOrder, [locationId, id]);
      if (held === undefined) throw notFound('Order');
      if (items !== undefined && ctx.ifMatch === undefined)
        throw new ApiError(
          'precondition_required',
          'An edit of lines needs If-Match with the tag that was read.',
        );
      if (held.status !== 'pending')
        throw conflict('order_not_pending', `The order is ${held.status}: only a pending order is edited.`);
      // What the lock was waited for is seen by a statement after it.
      const [before] = await tx.run(readEdited, [locationId, id]);
      if (before === undefined) throw notFound('Order');
      const lines = items && editLines(before, items, await factsFor(tx, locationId, before.lines, items));
      if (lines !== undefined && lines.faults.length > 0) throw invalid(lines.faults);
      const after = lines?.edit;
      if (after !== undefined && before.payment === 'completed' && after.total !== before.total)
        throw conflict('payment_completed', 'The order is paid: its total cannot change.');
      const values = [locationId, id, apiKeyId, changesOf(given, before.total, after)];
      const [edited] = await tx.run(editOrder, values);
      if (edited === undefined) throw notFound('Order');
      if (edited.short !== null) throw invalid(shortOf(after, edited.short));
      if (isPersonsKey(keyName))
        audit(tx, ctx, 'orders.edit', id, {
          before: { total: Number(before.total) },
          after: { total: Number(after?.total ?? before.total), fields: Object.keys(given) },
        });
      return { text: edited.response, etag: tagOfRow(id, edited.revision) };
    }),
  );
}

/** The products of new lines, and of those whose choices change. */
function factsFor(
  tx: Parameters<typeof readFactsIn>[0],
  locationId: string,
  lines: readonly { line: number; product_id: string }[],
  { add = [], change = [] }: NonNullable<OrderEdit['items']>,
) {
  const rechosen = change.flatMap(({ line_id, subselections }) => {
    const line = lines.find((each) => each.line === line_id);
    return line && subselections ? [{ product_id: line.product_id, quantity: 1, subselections }] : [];
  });
  return readFactsIn(tx, locationId, { items: [...add, ...rechosen] });
}

/** What edit_order takes (prisma/sql/order_edits.sql). */
function changesOf(given: Omit<OrderEdit, 'id' | 'items'>, totalBefore: string, edit: LinesEdit | undefined) {
  const fields = Object.keys(given).filter((name) => given[name as keyof typeof given] !== undefined);
  const named = { ...(fields.length > 0 && { fields }) };
  if (edit === undefined) return { fields: carriedColumns(given), difference: named };
  const { total, adjustments, lastLine, lines, removed, products, choices, difference } = edit;
  const milli = (of: readonly Taken[], which: 'kept' | 'added') => of.map((each) => milliText(each[which]));
  return {
    fields: { ...carriedColumns(given), total, adjustments, last_line: lastLine },
    lines,
    removed,
    products: products.map(({ id }) => id),
    choices: choices.map(({ id }) => id),
    products_kept: milli(products, 'kept'),
    products_new: milli(products, 'added'),
    choices_kept: milli(choices, 'kept'),
    choices_new: milli(choices, 'added'),
    difference: {
      ...named,
      ...(total !== totalBefore && { total: { before: Number(totalBefore), after: Number(total) } }),
      ...Object.fromEntries(Object.entries(difference).filter(([, each]) => each.length > 0)),
    },
  };
}

const milliText = (milli: bigint): string =>
  milli < 0n ? `-${decimalText(-milli, 3)}` : decimalText(milli, 3);

/** `left` is what is there of each product or item that the edit wants more of. */
const shortOf = (edit: LinesEdit | undefined, left: Readonly<Record<string, string>>) =>
  [...(edit?.products ?? []), ...(edit?.choices ?? [])].flatMap(({ id, path }) => {
    const there = left[id];
    if (there === undefined) return [];
    const message = `insufficient stock, only ${decimalText(scaled(there, 3), 3)} left`;
    return [{ path, message, reason: 'out_of_stock' as const }];
  });
