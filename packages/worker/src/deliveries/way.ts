import type { Clock, Queryable } from '@comanda/db';

/**
 * How old, from before it was asked for, the state of an endpoint may be when a request to it is written. The contract promises 100 ms
 * from the answer to a deletion: the rest is for the way to the socket.
 */
export const freshMs = 75;

/** A database whose answers all take longer than this leaves too little of `freshMs` to connect and to write a request. */
const nearMs = freshMs / 2;
/** A database is far away after so many late answers in a row, over so long: a busy one has answers in time among them. */
const lateAnswers = 10;
const lateForMs = 5_000;

/** The late answers of a database since its last answer in time. */
const late = new WeakMap<Queryable, { since: number; answers: number }>();

/** Notes how long an answer took for which a database had little work. */
export function noteWay(database: Queryable, ms: number, clock: Clock): void {
  const { since, answers } = late.get(database) ?? { since: clock.now(), answers: 0 };
  if (ms <= nearMs) late.delete(database);
  else late.set(database, { since, answers: answers + 1 });
}

/** Whether a database is so far away that no look at it is fresh when its answer comes. */
export function isFar(database: Queryable, clock: Clock): boolean {
  const { since, answers } = late.get(database) ?? { since: Number.POSITIVE_INFINITY, answers: 0 };
  return answers >= lateAnswers && clock.now() - since > lateForMs;
}
