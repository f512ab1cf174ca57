import { isState, type SqlDatabase } from '@comanda/db';
import { type Bulkhead, inPlace } from './bulkhead.ts';
import { bulkheadLimits } from './bulkhead-limits.ts';
import { createHeldCalls } from './held-calls.ts';
import { createHeldLine, type HeldLineOptions } from './held-line.ts';
import { firstBatch, type JoinedWrite, leftNothing, type Waiting } from './joined-write.ts';
import { noPlace } from './no-place.ts';

/** Writes that callers of one process join: of each kind a location has one batch under way, however many call. */
export interface JoinedWrites {
  /**
   * Writes one. A lone call goes at once, as a batch of one; calls that come meanwhile are in the next batch, in the
   * order in which they came. A call whose rows another transaction holds waits outside of the batches. Throws what
   * `write` throws, and 503 while the batch under way does not finish.
   */
  write<Member, Outcome>(
    what: JoinedWrite<Member, Outcome>,
    locationId: string,
    member: Member,
  ): Promise<Outcome>;
  /** Writes one outside the queue of its location. Also waits for its idempotency key. Throws as `write` does. */
  writeAlone<Member, Outcome>(
    what: JoinedWrite<Member, Outcome>,
    locationId: string,
    member: Member,
  ): Promise<Outcome>;
}

/** Makes them; the queue is empty. */
export function createJoinedWrites(
  database: Pick<SqlDatabase, 'run' | 'transaction'>,
  bulkhead: Bulkhead,
): JoinedWrites {
  const queues = new Map<unknown, Map<string, unknown>>();
  const heldCalls = createHeldCalls();

  function queueOf<Member, Outcome>(
    what: JoinedWrite<Member, Outcome>,
    locationId: string,
  ): Queue<Member, Outcome> {
    const ofKind = queues.get(what) ?? new Map<string, unknown>();
    queues.set(what, ofKind);
    const known = ofKind.get(locationId) as Queue<Member, Outcome> | undefined;
    if (known !== undefined) return known;
    // Most locations write nothing at most times.
    const onIdle = () => void ofKind.delete(locationId);
    const queue = createQueue({ what, locationId, database, bulkhead, heldCalls }, onIdle);
    ofKind.set(locationId, queue);
    return queue;
  }

  return {
    write: (what, locationId, member) => queueOf(what, locationId).add(member),
    writeAlone: (what, locationId, member) => queueOf(what, locationId).addAlone(member),
  };
}

interface Queue<Member, Outcome> {
  add(member: Member): Promise<Outcome>;
  addAlone(member: Member): Promise<Outcome>;
}

function createQueue<Member, Outcome>(
  options: Omit<HeldLineOptions<Member, Outcome>, 'giveBack' | 'onEmpty'>,
  onIdle: () => void,
): Queue<Member, Outcome> {
  const { what, locationId, database, bulkhead } = options;
  const place = { locationId, resource: what.resource, kind: 'joined' } as const;
  const line = createHeldLine({
    ...{ ...options, giveBack },
    // Calls that leave the line may come back to the queue at once.
    onEmpty: () => queueMicrotask(reportIdle),
  });
  let waiting: Waiting<Member, Outcome>[] = [];
  let writingSince: number | undefined;

  function reportIdle(): void {
    if (writingSince === undefined && waiting.length === 0 && line.isEmpty()) onIdle();
  }

  function giveBack(calls: readonly Waiting<Member, Outcome>[]): void {
    if (calls.length === 0) return;
    waiting = [...calls, ...waiting];
    if (writingSince === undefined) void writeAll();
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      writingSince = performance.now();
      try {
        await inPlace(bulkhead, place, writeBatch);
      } catch (error) {
        // Where there is no place for one there is none for the others.
        for (const { reject } of waiting.splice(0)) reject(error);
      }
    }
    writingSince = undefined;
    reportIdle();
  }

  async function writeBatch(): Promise<void> {
    // Take the batch only now that there is a place, so that it includes the calls that arrived in the meantime.
    writingSince = performance.now();
    const batch = takeBatch();
    if (batch.length === 0) return;
    try {
      const members = batch.map(({ member }) => member);
      const outcomes = await what.write(database, locationId, members, false);
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // After a lock timeout the calls wait outside the queue. Any other error of a lone call would recur.
      if (isState(error, 'lockTimeout')) line.take(batch);
      else if (batch.length > 1 && leftNothing(error)) for (const call of batch) line.takeAlone(call);
      else for (const { reject } of batch) reject(error);
    }
  }

  function takeBatch(): Waiting<Member, Outcome>[] {
    if (!line.isEmpty()) {
      // A row that they need is probably held: a batch would wait for it with them.
      const held = waiting.filter(({ member }) => line.sharesRows(member));
      waiting = waiting.filter((call) => !held.includes(call));
      line.take(held);
    }
    const batch = firstBatch(what, waiting);
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
    addAlone: (member) => new Promise((resolve, reject) => line.takeAlone({ member, resolve, reject })),
  };
}
