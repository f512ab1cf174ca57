import { holdUps, isState, type SqlDatabase, statement } from '@comanda/db';
import { type Bulkhead, inPlace } from './bulkhead.ts';
import type { HeldGroup } from './held-calls.ts';
import { firstBatch, type JoinedWrite, leftNothing, type Waiting } from './joined-write.ts';
import { noPlace } from './no-place.ts';

/** How joined writes of one kind are written at one location. */
export interface HeldWrites<Member, Outcome> {
  what: JoinedWrite<Member, Outcome>;
  locationId: string;
  database: Pick<SqlDatabase, 'run' | 'transaction'>;
  bulkhead: Bulkhead;
}

/** A group of calls whose members are known. */
export interface HeldGroupOf<Member, Outcome> extends HeldGroup {
  /** Ids of the rows that each of the calls locks. */
  readonly rows: readonly string[];
  /** Whether an attempt has met a lock. */
  isHeld(): boolean;
  /** Lets the calls go that are not being written. */
  releaseWaiting(): Waiting<Member, Outcome>[];
  add(call: Waiting<Member, Outcome>): void;
  /**
   * In a place among those of the location's joined writes (`joined`) or of held calls. Resolves to `false` if a lock did
   * not come in time.
   */
  attempt(lockWaitMs: number, kind?: 'joined' | 'held'): Promise<boolean>;
}

/** The parts that a group is created from. */
export interface HeldGroupOptions<Member, Outcome> extends HeldWrites<Member, Outcome> {
  line: object;
  rows: readonly string[];
  /** Its call is written by itself, and also waits for its idempotency key. */
  isAlone: boolean;
  /** Called after a call has left: it was answered, refused or released. */
  onLeave(): void;
  /** Called after calls were written: their rows are free. */
  onWritten(): void;
  /** Takes back the calls of a batch that was refused for one of them. */
  writeEach(calls: readonly Waiting<Member, Outcome>[]): void;
}

/** How long the first attempt waits for a lock, in milliseconds. It has a place that other calls of the location need. */
export const firstAttemptMs = 20;

interface HeldCall<Member, Outcome> {
  readonly member: Member;
  readonly call: Waiting<Member, Outcome>;
  readonly until: number;
  readonly timer: NodeJS.Timeout;
}

const setLockWait = statement<never>('set_lock_wait', `select set_config('comanda.lock_wait', $1, true)`);

/** Creates a group. It has no calls. */
export function createHeldGroup<Member, Outcome>({
  what,
  locationId,
  database,
  bulkhead,
  line,
  rows,
  isAlone,
  onLeave,
  onWritten,
  writeEach,
}: HeldGroupOptions<Member, Outcome>): HeldGroupOf<Member, Outcome> {
  let waiting: HeldCall<Member, Outcome>[] = [];
  let isWriting = false;
  let isHeld = false;
  /** The answer to a call that has waited too long. */
  let refusal: unknown = noPlace('location_busy');

  /** Lets calls go. Their caller settles them, or has them written elsewhere by the same time. */
  function release(calls: readonly HeldCall<Member, Outcome>[]): Waiting<Member, Outcome>[] {
    return calls.map(({ call, until, timer }) => {
      clearTimeout(timer);
      onLeave();
      return { ...call, until };
    });
  }

  function refuse(calls: readonly HeldCall<Member, Outcome>[], error: unknown): void {
    for (const { reject } of release(calls)) reject(error);
  }

  async function writeFirst(lockWaitMs: number): Promise<boolean> {
    const batch = firstBatch(what, waiting);
    const [first] = batch;
    if (first === undefined) return true;
    waiting = waiting.slice(batch.length);
    isWriting = true;
    const waitMs = Math.max(firstAttemptMs, Math.min(lockWaitMs, first.until - performance.now()));
    const members = batch.map(({ member }) => member);
    try {
      const outcomes = await database.transaction(
        { statement: setLockWait, values: [`${Math.ceil(waitMs)}ms`] },
        (tx) => what.write(tx, locationId, members, isAlone),
      );
      isWriting = false;
      for (const [index, { resolve }] of release(batch).entries()) resolve(outcomes[index] as Outcome);
      onWritten();
      return true;
    } catch (error) {
      isWriting = false;
      return putBack(batch, error);
    }
  }

  /** Keeps the calls of a failed batch that are worth another attempt. Returns `false` if a lock did not come in time. */
  function putBack(batch: readonly HeldCall<Member, Outcome>[], error: unknown): boolean {
    const isLate = isState(error, 'lockTimeout');
    if (isLate) {
      isHeld = true;
      refusal = error;
      const now = performance.now();
      waiting = [...batch.filter(({ until }) => until > now), ...waiting];
      refuse(
        batch.filter(({ until }) => until <= now),
        error,
      );
    } else if (batch.length > 1 && leftNothing(error)) writeEach(release(batch));
    else refuse(batch, error);
    return !isLate;
  }

  return {
    ...{ line, rows },
    isHeld: () => isHeld,
    releaseWaiting: () => release(waiting.splice(0)),
    isEmpty: () => waiting.length === 0 && !isWriting,
    add(call) {
      const now = performance.now();
      const until = call.until ?? now + holdUps.rowMs;
      const timer = setTimeout(() => {
        // A call that is being written at this moment is refused when the attempt fails.
        const expired = waiting.filter((each) => each.timer === timer);
        waiting = waiting.filter((each) => each.timer !== timer);
        refuse(expired, refusal);
      }, until - now);
      waiting.push({ member: call.member, call, until, timer });
    },
    async attempt(lockWaitMs, kind = 'held') {
      try {
        return await inPlace(bulkhead, { locationId, resource: what.resource, kind }, () =>
          writeFirst(lockWaitMs),
        );
      } catch (error) {
        // There is no place.
        refuse(waiting.splice(0), error);
        return true;
      }
    },
  };
}
