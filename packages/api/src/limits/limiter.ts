import type { Notifications, Queryable } from '@comanda/db';
import type { Caller } from '../credentials/credentials.ts';
import { createBatchQuota } from './batch-quota.ts';
import { type Clock, databaseClock } from './clock.ts';
import { atHand, emptyLease, type Lease, limitHeaders, refill, spend, suits, usedUp } from './lease.ts';
import { joinProcesses } from './processes.ts';
import { leaseLimits } from './statements.ts';
import { giveBack, keepSmallBlocks, unused } from './unused.ts';
import { type Usage, usageOf } from './usage.ts';

/** Counts requests and batch jobs against the limits of their key. Specification: Limits; contract, section 4. */
export interface Limiter {
  /**
   * Counts one request in minute and month and returns the limit headers, at once while the process has
   * requests of the key at hand. Throws `rate_limited` with the same headers and Retry-After.
   */
  admit(caller: Caller): Record<string, string> | Promise<Record<string, string>>;
  /** The batch headers, without counting. */
  batchHeaders(caller: Caller): Promise<Record<string, string>>;
  /**
   * Counts one batch job in the hour and returns the batch headers. Throws `rate_limited` with them. Within a
   * transaction (`on`) the job counts only if that commits.
   */
  startBatch(caller: Caller, on?: Queryable): Promise<Record<string, string>>;
  /** What the key has used and has left, without counting. */
  usage(caller: Caller): Promise<Usage>;
  /** Gives back what was taken and not used, and leaves the list of processes. */
  close(): Promise<void>;
}

/** What a limiter works with. */
export interface LimiterOptions {
  /** Tells of other processes that come; without it they are noticed a little later. */
  notifications?: Notifications;
  /** Stands in for the database's clock, so that a test can move the time. */
  clock?: Clock;
}

/** Registers this process among the API processes and starts counting. */
export function createLimiter(database: Queryable, options: LimiterOptions = {}): Limiter {
  const ownClock = databaseClock();
  const clock = options.clock ?? ownClock;
  const at = () => (options.clock === undefined ? null : new Date(options.clock.now()));
  const keys = new Map<string, Counted>();
  const batch = createBatchQuota(database, at);
  const processes = joinProcesses(database, options.notifications, shrink);

  function admit(caller: Caller): Record<string, string> | Promise<Record<string, string>> {
    const counted = keys.get(caller.apiKeyId) ?? begin(caller.apiKeyId);
    const { lease, waiting } = counted;
    if (waiting.length === 0 && suits(lease, caller.limits)) {
      const now = clock.now();
      if (atHand(lease) > 0 && isNow(lease.minute, now)) {
        spend(lease);
        return limitHeaders(lease, processes.arrivals());
      }
      if (now < lease.refusedUntil && isNow(lease.minute, now))
        throw usedUp(lease, processes.arrivals(), now);
    }
    return new Promise((resolve, reject) => {
      waiting.push({ limits: caller.limits, resolve, reject });
      if (waiting.length === 1) void serve(counted);
    });
  }

  function begin(keyId: string): Counted {
    const counted = { lease: emptyLease(keyId), waiting: [] };
    keys.set(keyId, counted);
    return counted;
  }

  // One call for all that wait; whoever comes meanwhile waits behind them.
  async function serve({ lease, waiting }: Counted): Promise<void> {
    while (waiting.length > 0) {
      try {
        await take(lease, waiting);
      } catch (error) {
        for (const { reject } of waiting.splice(0)) reject(error);
        return;
      }
      const arrivals = processes.arrivals();
      for (const { resolve } of waiting.splice(0, atHand(lease))) {
        spend(lease);
        resolve(limitHeaders(lease, arrivals));
      }
      if (lease.arrivals !== arrivals) {
        // Somebody came while the answer was on its way: it was sized for fewer.
        shrinkOne(lease);
        continue;
      }
      if (isUsedUp(lease)) {
        const now = clock.now();
        lease.refusedUntil = Math.min(lease.minute.end * 1_000, now + refusalMs);
        for (const { reject } of waiting.splice(0)) reject(usedUp(lease, arrivals, now));
      }
    }
  }

  async function take(lease: Lease, waiting: readonly Waiter[]): Promise<void> {
    const id = await processes.register();
    const limits = waiting.at(-1)?.limits;
    if (limits === undefined) return;
    const { minute, month } = lease;
    if (!suits(lease, limits) || clock.now() < minute.start * 1_000) await giveBack(database, unused(lease));
    const arrivals = processes.arrivals();
    const [row] = await database.run(leaseLimits, [
      lease.keyId,
      limits.perMinute,
      limits.monthly,
      waiting.length,
      id,
      minute.end,
      minute.tokens,
      month.end,
      month.tokens,
      at(),
    ]);
    if (row === undefined) throw new Error('the database granted no lease');
    ownClock.set(row.now * 1_000);
    refill(lease, limits, row, arrivals);
  }

  function shrink(): void {
    for (const { lease } of keys.values()) shrinkOne(lease);
  }

  function shrinkOne(lease: Lease): void {
    giveBack(database, keepSmallBlocks(lease)).catch(() => {});
  }

  return {
    admit,
    batchHeaders: batch.headers,
    startBatch: batch.start,
    usage: (caller) => usageOf(database, caller, keys.get(caller.apiKeyId)?.lease, at()),
    async close() {
      const all = [...keys.values()].flatMap(({ lease }) => unused(lease));
      await giveBack(database, all).catch(() => {});
      await processes.close();
    },
  };
}

interface Waiter {
  limits: Caller['limits'];
  resolve(headers: Record<string, string>): void;
  reject(error: unknown): void;
}

/** A key, with the requests that wait for a lease in the order in which they came. */
interface Counted {
  readonly lease: Lease;
  readonly waiting: Waiter[];
}

// Another process may give back what it did not use; until then a storm of refusals costs no query.
const refusalMs = 1_000;

// Before its start counts as after its end: the clock was set back.
function isNow({ start, end }: Lease['minute'], now: number): boolean {
  return start * 1_000 <= now && now < end * 1_000;
}

function isUsedUp({ minute, month }: Lease): boolean {
  return minute.tokens + minute.left === 0 || month.tokens + month.left === 0;
}
