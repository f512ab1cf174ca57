import { isId, type Queryable, type Statement, type Transaction } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { type AuditChanges, audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { repeatingRaces } from '../../call/races.ts';
import { inTransaction } from '../../call/writing.ts';
import { notFound } from '../../errors.ts';
import type { Deleted } from '../../wire.ts';
import { locking, readCurrent } from '../bulk/reads.statements.ts';
import type { Current, Writes } from '../bulk/rows.rules.ts';
import { emptyWrites } from '../bulk/rules.ts';
import { write } from '../bulk/writes.statements.ts';
import type { Subselection, SubselectionItem } from './schema.ts';
import {
  productOfItem,
  productOfSubselection,
  readItem,
  readSubselection,
  type Shown,
} from './statements.ts';

type Operation = `${'subselections' | 'subselectionItems'}.${'create' | 'update' | 'delete'}`;

/** The row that an operation changes, and the audit entry's changes; none where the history of its columns has them. */
interface Decided {
  id: string;
  changes?: AuditChanges;
}

type Decide = (current: Current, writes: Writes) => Decided;

/** The answer, of the row as it is stored. */
type AnswerOf<Value> = (tx: Transaction, locationId: string, id: string) => Promise<Answer<Value>>;

const reading =
  <Value>(statement: Statement<Shown>): AnswerOf<Value> =>
  async (tx, locationId, id) => {
    const [row] = await tx.run(statement, [locationId, id]);
    if (row === undefined) throw new Error(`${statement.name} finds nothing of what was written`);
    return { text: row.doc, etag: row.etag };
  };

/** Answers the subselection. */
export const shownGroup = reading<Subselection>(readSubselection);
/** Answers the option. */
export const shownItem = reading<SubselectionItem>(readItem);
/** Answers the deletion. */
export const deleted: AnswerOf<Deleted> = async (_tx, _locationId, id) => ({ value: { id, deleted: true } });

/**
 * Decides from a product with all its choices, which it locks as a catalog sync does: before the row of a precondition. Writes what
 * is decided, and the audit entry.
 */
export function changing<Value>(
  ctx: CallContext,
  operation: Operation,
  product: string | ((on: Queryable) => Promise<string>),
  answer: AnswerOf<Value>,
  decide: Decide,
): Promise<Answer<Value>> {
  const { locationId } = ctx.caller;
  const lock = async (tx: Transaction): Promise<Current> => {
    const id = typeof product === 'string' ? product : await product(tx);
    return readCurrent(tx, locationId, locking, { products: { ids: [id] }, options: true });
  };
  const change = async (tx: Transaction): Promise<Answer<Value>> => {
    const writes = emptyWrites();
    const { id, changes } = decide(await lock(tx), writes);
    write(tx, locationId, writes);
    if (changes !== undefined) audit(tx, ctx, operation, id, changes);
    return answer(tx, locationId, id);
  };
  return repeatingRaces(() => inTransaction(ctx, change, lock));
}

/** The same, of the product that has the row. Throws `resource_not_found`, or what `missing` makes. */
export function changingOne<Value>(
  ctx: CallContext,
  operation: Operation,
  id: string,
  missing: string | (() => Error),
  answer: AnswerOf<Value>,
  decide: Decide,
): Promise<Answer<Value>> {
  const isOfItem = operation === 'subselectionItems.update' || operation === 'subselectionItems.delete';
  const unknown = typeof missing === 'string' ? () => notFound(missing) : missing;
  if (!isId(id)) throw unknown();
  const find = async (on: Queryable) => {
    const [row] = await on.run(isOfItem ? productOfItem : productOfSubselection, [ctx.caller.locationId, id]);
    if (row === undefined) throw unknown();
    return row.product_id;
  };
  return changing(ctx, operation, find, answer, decide);
}
