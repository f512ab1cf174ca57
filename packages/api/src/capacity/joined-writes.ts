import { type Database, holdUps, isState, type Queryable, statement } from '@comanda/db';
import { bounds, noSlot } from './bounds.ts';
import { inSlot, type Slots } from './slots.ts';

/**
 * A kind of write that is done together for all calls of one location that come at once. It holds no state:
 * `JoinedWrites` keeps the waiting calls.
 */
export interface JoinedWrite<Member, Outcome> {
  /** Of the slot that a batch takes among the calls of its location. */
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
  /** The request's id, its span in a trace and, where each member has a key of its own, that key. */
  origin: string;
}

/** No two members of a batch are of one resource. */
export const ofDifferentIds = (before: readonly { id: string }[], { id }: { id: string }): boolean =>
  before.every((each) => each.id.toLowerCase() !== id.toLowerCase());

/** Rows by the index of their member, which SQL counts from 1. */
export function byIndex<Row extends { place: number }>(rows: readonly Row[]): (Row | undefined)[] {
  const found: (Row | undefined)[] = [];
  for (const row of rows) found[row.place - 1] = row;
  return found;
}

/** Writes that calls of one process join: of each kind a location has one batch under way, however many call. */
export class JoinedWrites {
  readonly #work: Work;
  readonly #queues = new Map<JoinedWrite<unknown, unknown>, Map<string, Queue>>();

  /** Creates them; all queues are empty. */
  constructor(database: Work['database'], slots: Slots) {
    this.#work = { database, slots, attempts: new HeldAttempts() };
  }

  /**
   * Writes one. A lone call goes at once, as a batch of one; calls that come meanwhile are in the next batch, in the
   * order in which they came. A call whose rows another transaction holds waits outside of the batches. Throws what
   * `what.write` throws, and 503 while the batch under way does not finish.
   */
  write<Member, Outcome>(what: JoinedWrite<Member, Outcome>, locationId: string, member: Member) {
    return this.#queueOf(what, locationId).write(member) as Promise<Outcome>;
  }

  /** Writes one outside the queue of its location. Also waits for its idempotency key. Throws as `write` does. */
  writeAlone<Member, Outcome>(what: JoinedWrite<Member, Outcome>, locationId: string, member: Member) {
    return this.#queueOf(what, locationId).writeAlone(member) as Promise<Outcome>;
  }

  #queueOf(what: JoinedWrite<unknown, unknown>, locationId: string): Queue {
    const queues = this.#queues.get(what) ?? new Map<string, Queue>();
    this.#queues.set(what, queues);
    const known = queues.get(locationId);
    if (known !== undefined) return known;
    // Most locations write nothing at most times.
    if (queues.size >= mostQueues) for (const [id, { isIdle }] of queues) if (isIdle) queues.delete(id);
    const queue = new Queue(what, locationId, this.#work);
    queues.set(locationId, queue);
    return queue;
  }
}

/** Of one kind: beyond them idle ones are forgotten. */
const mostQueues = 10_000;

/** What the queues of a process write with. */
interface Work {
  database: Pick<Database, 'run' | 'transaction'>;
  slots: Slots;
  attempts: HeldAttempts;
}

/** A member that waits to be written. */
interface Call {
  readonly member: unknown;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
  /** When it is refused, by the monotonic clock, if it has waited for a held row; by `timer`, while it does. */
  until?: number;
  timer?: NodeJS.Timeout;
}

/** Calls of a queue that lock the same rows, one of which another transaction may hold. */
interface HeldGroup {
  readonly queue: Queue;
  readonly name: unknown;
  readonly rows: readonly string[];
  /** Its call is written by itself, and also waits for its idempotency key. */
  readonly isAlone: boolean;
  calls: Call[];
  /** How many of them, from the first on, are being written. */
  writing: number;
  /** What the last attempt that met a lock failed with. */
  lockTimeout?: unknown;
}

const sharesHeldRow = ({ lockTimeout, rows }: HeldGroup, others: readonly string[]): boolean =>
  lockTimeout !== undefined && rows.some((row) => others.includes(row));

/**
 * Whether PostgreSQL refused the transaction from inside, so that nothing of it is there. After a lost connection the
 * outcome is unknown.
 */
const leftNothing = (error: unknown): boolean =>
  isState(error, 'constraint', 'data', 'rolledBack', 'lockTimeout', 'canceled') &&
  // The location refuses each of them.
  !isState(error, 'notActive');

const setLockWait = statement<never>('set_lock_wait', `select set_config('comanda.lock_wait', $1, true)`);

/** The calls of one kind at one location: those that wait for the next batch, and those that wait for held rows. */
class Queue {
  readonly #what: JoinedWrite<unknown, unknown>;
  readonly #locationId: string;
  readonly #work: Work;
  #waiting: Call[] = [];
  #writingSince: number | undefined;
  /** By the rows of their calls. */
  readonly #groups = new Map<unknown, HeldGroup>();
  /** How many calls the groups have. */
  #held = 0;

  constructor(what: JoinedWrite<unknown, unknown>, locationId: string, work: Work) {
    this.#what = what;
    this.#locationId = locationId;
    this.#work = work;
  }

  get isIdle(): boolean {
    return this.#writingSince === undefined && this.#held === 0;
  }

  write(member: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const since = this.#writingSince;
      if (since !== undefined && performance.now() - since > bounds.slots.stuckMs) throw noSlot();
      this.#waiting.push({ member, resolve, reject });
      if (since === undefined) void this.#writeAll();
    });
  }

  writeAlone(member: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => this.#hold([{ member, resolve, reject }], true));
  }

  /** Writes the first calls of a group in a slot. Resolves to `false` if a lock did not come in time. Never rejects. */
  async attempt(group: HeldGroup, lockWaitMs: number, kind: 'joined' | 'held'): Promise<boolean> {
    try {
      return await this.#inSlot(kind, () => this.#writeFirst(group, lockWaitMs));
    } catch (error) {
      // There is no slot.
      this.#refuse(group, group.calls, error);
      return true;
    }
  }

  #inSlot<Result>(kind: 'joined' | 'held', work: () => Promise<Result>): Promise<Result> {
    const slot = { locationId: this.#locationId, resource: this.#what.resource, kind };
    return inSlot(this.#work.slots, slot, work);
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#writingSince = performance.now();
      try {
        await this.#inSlot('joined', () => this.#writeBatch());
      } catch (error) {
        // Where there is no slot for one there is none for the others.
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      }
    }
    this.#writingSince = undefined;
  }

  async #writeBatch(): Promise<void> {
    // Take the batch only now that a slot is free, so that it includes the calls that arrived in the meantime.
    this.#writingSince = performance.now();
    if (this.#groups.size > 0) this.#holdSharers();
    const batch = this.#firstBatch(this.#waiting);
    if (batch.length === 0) return;
    this.#waiting = this.#waiting.slice(batch.length);
    try {
      settle(batch, await this.#writeMembers(this.#work.database, batch, false));
    } catch (error) {
      // After a lock timeout the calls wait outside the queue.
      if (isState(error, 'lockTimeout')) this.#hold(batch, false);
      else this.#writeEach(batch, error);
    }
  }

  #writeMembers(database: Queryable, batch: readonly Call[], isAlone: boolean): Promise<unknown[]> {
    const members = batch.map(({ member }) => member);
    return this.#what.write(database, this.#locationId, members, isAlone);
  }

  /** Of calls, in the order in which they came, the first ones that may be written together. */
  #firstBatch(calls: readonly Call[]): Call[] {
    const members: unknown[] = [];
    for (const { member } of calls) {
      if (members.length === bounds.joined.writes) break;
      if (members.length > 0 && !this.#what.joins(members, member)) break;
      members.push(member);
    }
    return calls.slice(0, members.length);
  }

  /** After a batch was refused for one of its calls, each is written by itself. Any other error would recur. */
  #writeEach(batch: readonly Call[], error: unknown): void {
    if (batch.length > 1 && leftNothing(error)) this.#hold(batch, true);
    else for (const { reject } of batch) reject(error);
  }

  /** Holds the calls that need a row which is probably held: a batch would wait for it with them. */
  #holdSharers(): void {
    const groups = [...this.#groups.values()];
    const sharers = this.#waiting.filter(({ member }) => {
      const rows = this.#rowsOf(member);
      return groups.some((group) => sharesHeldRow(group, rows));
    });
    this.#waiting = this.#waiting.filter((call) => !sharers.includes(call));
    this.#hold(sharers, false);
  }

  #rowsOf(member: unknown): string[] {
    return [...new Set(this.#what.rows(member).map((id) => id.toLowerCase()))].sort();
  }

  /** Takes calls out of the batches. Each is written as soon as its rows are free, or refused after `holdUps.rowMs`. */
  #hold(calls: readonly Call[], isAlone: boolean): void {
    const created: HeldGroup[] = [];
    for (const call of calls) {
      if (this.#held >= bounds.held.calls) {
        call.reject(noSlot('location_busy'));
        continue;
      }
      const rows = isAlone ? [] : this.#rowsOf(call.member);
      const name = isAlone ? call : rows.join();
      let group = this.#groups.get(name);
      if (group === undefined) {
        group = { queue: this, name, rows, isAlone, calls: [], writing: 0 };
        this.#groups.set(name, group);
        created.push(group);
      }
      this.#add(group, call);
    }
    for (const group of created) void this.#attemptFirst(group);
  }

  #add(group: HeldGroup, call: Call): void {
    const now = performance.now();
    call.until ??= now + holdUps.rowMs;
    call.timer = setTimeout(() => {
      // A call that is being written at this moment is refused when the attempt fails.
      if (group.calls.indexOf(call) >= group.writing)
        this.#refuse(group, [call], group.lockTimeout ?? noSlot('location_busy'));
    }, call.until - now);
    group.calls.push(call);
    this.#held += 1;
  }

  #refuse(group: HeldGroup, calls: readonly Call[], error: unknown): void {
    for (const { reject } of this.#release(group, calls)) reject(error);
  }

  #release(group: HeldGroup, calls: readonly Call[]): readonly Call[] {
    for (const { timer } of calls) clearTimeout(timer);
    this.#held -= calls.length;
    group.calls = group.calls.filter((call) => !calls.includes(call));
    if (group.calls.length === 0 && this.#groups.get(group.name) === group) this.#groups.delete(group.name);
    return calls;
  }

  // Most calls of a batch do not need the row that is held. They do not wait for those that do.
  async #attemptFirst(group: HeldGroup): Promise<void> {
    while (group.calls.length > 0) if (!(await this.attempt(group, bounds.held.firstMs, 'joined'))) break;
    this.#work.attempts.add(group);
  }

  async #writeFirst(group: HeldGroup, lockWaitMs: number): Promise<boolean> {
    const batch = this.#firstBatch(group.calls);
    const [first] = batch;
    if (first === undefined) return true;
    const leftMs = (first.until ?? 0) - performance.now();
    const waitMs = Math.ceil(Math.max(bounds.held.firstMs, Math.min(lockWaitMs, leftMs)));
    group.writing = batch.length;
    try {
      const outcomes = await this.#work.database.transaction(
        { statement: setLockWait, values: [`${waitMs}ms`] },
        (tx) => this.#writeMembers(tx, batch, group.isAlone),
      );
      group.writing = 0;
      this.#release(group, batch);
      settle(batch, outcomes);
      this.#giveBack(group);
      return true;
    } catch (error) {
      group.writing = 0;
      if (!isState(error, 'lockTimeout')) {
        this.#release(group, batch);
        this.#writeEach(batch, error);
        return true;
      }
      group.lockTimeout = error;
      const now = performance.now();
      const late = batch.filter(({ until = 0 }) => until <= now);
      this.#refuse(group, late, error);
      return false;
    }
  }

  /** Returns the calls to the queue that wait for a row of a group whose first calls were written. A batch writes them soonest. */
  #giveBack(written: HeldGroup): void {
    // A first attempt says nothing about a row that other groups wait for.
    const others = written.lockTimeout === undefined ? [] : [...this.#groups.values()];
    const groups = [written, ...others.filter((other) => sharesHeldRow(other, written.rows))];
    const released = groups.flatMap((group) => this.#release(group, group.calls.slice(group.writing)));
    if (released.length === 0) return;
    released.sort((one, other) => (one.until ?? 0) - (other.until ?? 0));
    this.#waiting = [...released, ...this.#waiting];
    if (this.#writingSince === undefined) void this.#writeAll();
  }
}

function settle(batch: readonly Call[], outcomes: readonly unknown[]): void {
  for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
}

/**
 * Decides which held calls of a process wait in the database. All others wait in memory, without a slot and without a
 * connection: one attempt is enough to learn that a row is free.
 */
class HeldAttempts {
  /** The groups without an attempt under way. The last one was attempted last. */
  #idle: HeldGroup[] = [];
  /** The queues with a long attempt, and with a short one. */
  readonly #long = new Set<Queue>();
  readonly #short = new Set<Queue>();

  /** Attempts the group until it has no calls left. */
  add(group: HeldGroup): void {
    this.#idle.push(group);
    this.#start();
  }

  #start(): void {
    // Calls also leave because a row was found free, or because they waited too long.
    this.#idle = this.#idle.filter(({ calls }) => calls.length > 0);
    for (const group of this.#idle)
      if (this.#long.size < bounds.held.long && !this.#long.has(group.queue))
        void this.#attempt(group, this.#long, holdUps.rowMs);
    const [next] = this.#idle;
    if (next === undefined || this.#short.size >= bounds.held.short) return;
    const { roundMs, shortMs } = bounds.held;
    const shareMs = Math.min(shortMs.most, Math.max(shortMs.least, roundMs / this.#idle.length));
    void this.#attempt(next, this.#short, shareMs);
  }

  async #attempt(group: HeldGroup, queues: Set<Queue>, lockWaitMs: number): Promise<void> {
    this.#idle = this.#idle.filter((other) => other !== group);
    queues.add(group.queue);
    await group.queue.attempt(group, lockWaitMs, 'held');
    queues.delete(group.queue);
    this.#idle.push(group);
    this.#start();
  }
}
