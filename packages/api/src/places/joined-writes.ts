import { isState, type Queryable } from '@comanda/db';
import { type Bulkhead, inPlace } from './bulkhead.ts';
import { bulkheadLimits } from './bulkhead-limits.ts';
import { noPlace } from './no-place.ts';

/**
 * A kind of write that is done together for all calls of one location that come at once. It holds no state:
 * `JoinedWrites` keeps the waiting callers.
 */
export interface JoinedWrite<Member, Outcome> {
  /** Of the place that a batch takes among the calls of its location. */
  resource: string;
  /**
   * Writes all in one transaction, in their order; returns an outcome for each. Of a call that is made `alone` nothing
   * else waits, so it may wait for what another transaction holds.
   */
  write(
    database: Queryable,
    locationId: string,
    members: readonly Member[],
    alone: boolean,
  ): Promise<Outcome[]>;
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

/** Writes that callers of one process join: of each kind a location has one batch under way, however many call. */
export interface JoinedWrites {
  /**
   * Writes one. A lone call goes at once, as a batch of one; calls that come meanwhile are in the next batch, in the
   * order in which they came. Throws what `write` throws, and 503 while the batch under way does not finish.
   */
  write<Member, Outcome>(
    what: JoinedWrite<Member, Outcome>,
    locationId: string,
    member: Member,
  ): Promise<Outcome>;
  /** Writes one outside the queue of its location, in a place of its own. Throws as `write` does. */
  writeAlone<Member, Outcome>(
    what: JoinedWrite<Member, Outcome>,
    locationId: string,
    member: Member,
  ): Promise<Outcome>;
}

/** A batch has so many members at most: what it holds, it holds for all of them. */
export const mostInBatch = 24;

/** Makes them; the queue is empty. */
export function createJoinedWrites(database: Queryable, bulkhead: Bulkhead): JoinedWrites {
  const queues = new Map<unknown, Map<string, unknown>>();

  function meansOf<Member, Outcome>(
    what: JoinedWrite<Member, Outcome>,
    locationId: string,
  ): Means<Member, Outcome> {
    const call = { locationId, resource: what.resource, kind: 'mutation' } as const;
    return {
      placed: (work) => inPlace(bulkhead, call, work),
      write: (members) => what.write(database, locationId, members, false),
      writeAlone: (member) =>
        inPlace(bulkhead, call, async () => {
          const [outcome] = await what.write(database, locationId, [member], true);
          return outcome as Outcome;
        }),
    };
  }

  return {
    write<Member, Outcome>(what: JoinedWrite<Member, Outcome>, locationId: string, member: Member) {
      const ofKind = queues.get(what) ?? new Map<string, unknown>();
      queues.set(what, ofKind);
      const known = ofKind.get(locationId) as Queue<Member, Outcome> | undefined;
      // Most locations write nothing at most times.
      const onIdle = () => void ofKind.delete(locationId);
      const queue = known ?? createQueue(what, meansOf(what, locationId), onIdle);
      ofKind.set(locationId, queue);
      return queue.add(member);
    },
    writeAlone: (what, locationId, member) => meansOf(what, locationId).writeAlone(member),
  };
}

interface Queue<Member, Outcome> {
  add(member: Member): Promise<Outcome>;
}

interface Waiting<Member, Outcome> {
  member: Member;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

interface Means<Member, Outcome> {
  placed<Result>(work: () => Promise<Result>): Promise<Result>;
  write(members: readonly Member[]): Promise<Outcome[]>;
  writeAlone(member: Member): Promise<Outcome>;
}

function createQueue<Member, Outcome>(
  { joins }: Pick<JoinedWrite<Member, Outcome>, 'joins'>,
  { placed, write, writeAlone }: Means<Member, Outcome>,
  onIdle: () => void,
): Queue<Member, Outcome> {
  let waiting: Waiting<Member, Outcome>[] = [];
  let writingSince: number | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      writingSince = performance.now();
      try {
        await placed(writeBatch);
      } catch (error) {
        // Where there is no place for one there is none for the others.
        for (const { reject } of waiting.splice(0)) reject(error);
      }
    }
    writingSince = undefined;
    onIdle();
  }

  async function writeBatch(): Promise<void> {
    // Once there is a place: who came while it was waited for is among them.
    writingSince = performance.now();
    const batch = takeBatch();
    try {
      const outcomes = await write(batch.map(({ member }) => member));
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // A held row is waited for outside of the queue. Any other refusal of a lone call would come again.
      const goAlone = leftNothing(error) && (batch.length > 1 || isState(error, 'lockTimeout'));
      for (const { member, resolve, reject } of batch)
        if (goAlone) void writeAlone(member).then(resolve, reject);
        else reject(error);
    }
  }

  function takeBatch(): Waiting<Member, Outcome>[] {
    const batch: Waiting<Member, Outcome>[] = [];
    const members: Member[] = [];
    // In the order in which they came, so the first that does not join is the first of the next batch.
    for (const each of waiting) {
      if (members.length === mostInBatch || (members.length > 0 && !joins(members, each.member))) break;
      batch.push(each);
      members.push(each.member);
    }
    waiting = waiting.slice(batch.length);
    return batch;
  }

  return {
    add: (member) =>
      new Promise((resolve, reject) => {
        if (writingSince !== undefined && performance.now() - writingSince > bulkheadLimits.stuckMs)
          throw noPlace();
        waiting.push({ member, resolve, reject });
        if (writingSince === undefined) void writeAll();
      }),
  };
}

/**
 * Whether PostgreSQL refused the transaction from inside, so that nothing of it is there. After a lost connection the
 * outcome is unknown.
 */
const leftNothing = (error: unknown): boolean =>
  isState(error, 'constraint', 'data', 'rolledBack', 'lockTimeout', 'canceled') &&
  // The location refuses each of them.
  !isState(error, 'notActive');
