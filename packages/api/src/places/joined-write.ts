import { isState, type Queryable } from '@comanda/db';

/**
 * A kind of write that is done together for all calls of one location that come at once. It holds no state:
 * `JoinedWrites` keeps the waiting callers.
 */
export interface JoinedWrite<Member, Outcome> {
  /** Of the place that a batch takes among the calls of its location. */
  resource: string;
  /**
   * Writes all in one transaction, in their order; returns an outcome for each. A member that is written `alone` also waits
   * for its idempotency key while another transaction has it.
   */
  write(
    database: Queryable,
    locationId: string,
    members: readonly Member[],
    alone: boolean,
  ): Promise<Outcome[]>;
  /** Ids of the rows that a member locks, as far as its caller named them. Members with equal rows wait for the same. */
  rows(member: Member): readonly string[];
  /** Whether a member may be written together with those before it; what may not is in the next batch. */
  joins(before: readonly Member[], member: Member): boolean;
}

/** The parts of a member that claims its idempotency key in the transaction that writes it. */
export interface KeyedMember {
  apiKeyId: string;
  /** The idempotency key, under the name of the operation. */
  operation: string;
  key: string;
  requestHash: Buffer;
  ttlHours: number;
  /** The request's id, its place in a trace and, where each member has a key of its own, that key. */
  origin: string;
}

/** No two members of a batch are of one resource. */
export const ofDifferentIds = (before: readonly { id: string }[], { id }: { id: string }): boolean =>
  before.every((each) => each.id.toLowerCase() !== id.toLowerCase());

/** Rows by the place of their member, which counts from 1. */
export function byPlace<Row extends { place: number }>(rows: readonly Row[]): (Row | undefined)[] {
  const found: (Row | undefined)[] = [];
  for (const row of rows) found[row.place - 1] = row;
  return found;
}

/** A member that waits to be written. */
export interface Waiting<Member, Outcome> {
  readonly member: Member;
  /** When it is refused, by the monotonic clock, if it has waited for a held row. */
  readonly until?: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** A batch has so many members at most: what it holds, it holds for all of them. */
export const mostInBatch = 24;

/** Of waiting members, in the order in which they came, the first ones that may be written together. */
export function firstBatch<Member, Each extends { readonly member: Member }>(
  { joins }: Pick<JoinedWrite<Member, never>, 'joins'>,
  waiting: readonly Each[],
): Each[] {
  const batch: Each[] = [];
  const members: Member[] = [];
  for (const each of waiting) {
    if (members.length === mostInBatch || (members.length > 0 && !joins(members, each.member))) break;
    batch.push(each);
    members.push(each.member);
  }
  return batch;
}

/**
 * Whether PostgreSQL refused the transaction from inside, so that nothing of it is there. After a lost connection the
 * outcome is unknown.
 */
export const leftNothing = (error: unknown): boolean =>
  isState(error, 'constraint', 'data', 'rolledBack', 'lockTimeout', 'canceled') &&
  // The location refuses each of them.
  !isState(error, 'notActive');
