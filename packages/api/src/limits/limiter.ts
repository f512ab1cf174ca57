import type { Notifications, Queryable } from '@comanda/db';
import type { Caller } from '../credentials/credentials.ts';
import { createBatchQuota } from './batch-quota.ts';
import { type Clock, databaseClock } from './clock.ts';
import {
  admitOne,
  atHand,
  emptyLease,
  isFresh,
  isUsedUp,
  type Lease,
  refill,
  suits,
  takeOut,
  usedUp,
} from './lease.ts';
import { joinMembers } from './membership.ts';
import { leaseLimits, returnTokens } from './statements.ts';
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
  /** The same; throws `rate_limited` with them when the hour's batch jobs are used up. */
  refuseUsedUp(caller: Caller): Promise<Record<string, string>>;
  /**
   * Counts one batch job in the hour and returns the batch headers. Throws `rate_limited` with them. Within a
   * transaction (`on`) the job counts only if that commits.
   */
  startBatch(caller: Caller, on?: Queryable): Promise<Record<string, string>>;
  /** The key's use and remainder, without counting. */
  usage(caller: Caller): Promise<Usage>;
  /** Gives back what was taken and not used, and leaves the list of processes. */
  close(): Promise<void>;
}

/** The dependencies of a limiter. */
export interface LimiterOptions {
  /** Announces other processes that join; without it they are noticed when something is leased. */
  notifications?: Notifications;
  /** Replaces the database's clock, so that a test can move the time. */
  clock?: Clock;
}

/** Registers this process among the API processes and starts counting. */
export function createLimiter(database: Queryable, options: LimiterOptions = {}): Limiter {
  const ownClock = databaseClock();
  const clock = options.clock ?? ownClock;
  const at = () => (options.clock === undefined ? null : new Date(options.clock.now()));
  const keys = new Map<string, Counted>();
  const batch = createBatchQuota(database, at);
  const members = joinMembers(database, options.notifications);

  function admit({ apiKeyId, limits }: Caller): Record<string, string> | Promise<Record<string, string>> {
    const counted = keys.get(apiKeyId) ?? begin(apiKeyId);
    return decide(counted.lease, limits) ?? admitLater(counted, limits);
  }

  function begin(keyId: string): Counted {
    const counted = { lease: emptyLease(keyId), waiting: 0, asking: undefined };
    keys.set(keyId, counted);
    return counted;
  }

  /** Admits or refuses by what is known here; undefined when the database has to be asked. */
  function decide(lease: Lease, limits: Caller['limits']): Record<string, string> | undefined {
    const now = clock.now();
    if (!suits(lease, limits, now)) return undefined;
    if (atHand(lease) > 0) return isFresh(lease, members.arrivals(), now) ? admitOne(lease) : undefined;
    if (isUsedUp(lease) && now < lease.takenAt + refusalMs) throw usedUp(lease, now);
    return undefined;
  }

  // One question for all that wait. They go on in the order in which they came; who gets nothing asks again.
  async function admitLater(counted: Counted, limits: Caller['limits']): Promise<Record<string, string>> {
    counted.waiting += 1;
    try {
      for (;;) {
        counted.asking ??= ask(counted, limits).finally(() => {
          counted.asking = undefined;
        });
        await counted.asking;
        const headers = decide(counted.lease, limits);
        if (headers !== undefined) return headers;
      }
    } finally {
      counted.waiting -= 1;
    }
  }

  async function ask(counted: Counted, limits: Caller['limits']): Promise<void> {
    const { lease } = counted;
    const id = await members.register();
    const { minute, month } = lease;
    // More than a lower limit has left may be held under the old one.
    if (minute.limit !== limits.perMinute || month.limit !== limits.monthly) await giveBack([lease]);
    const arrivals = members.arrivals();
    const [row] = await database.run(leaseLimits, [
      lease.keyId,
      limits.perMinute,
      limits.monthly,
      counted.waiting,
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

  /** Makes what leases hold available to every process again. */
  async function giveBack(leases: readonly Lease[]): Promise<void> {
    const all = leases.flatMap(takeOut);
    if (all.length === 0) return;
    await database.run(returnTokens, [
      all.map(({ keyId }) => keyId),
      all.map(({ window }) => window),
      all.map(({ start }) => start),
      all.map(({ tokens }) => tokens),
    ]);
  }

  return {
    admit,
    batchHeaders: batch.headers,
    refuseUsedUp: batch.refuseUsedUp,
    startBatch: batch.start,
    usage: (caller) => usageOf(database, caller, keys.get(caller.apiKeyId)?.lease, at()),
    async close() {
      await giveBack([...keys.values()].map(({ lease }) => lease)).catch(() => {});
      await members.close();
    },
  };
}

/** A key, and how many requests wait for a lease of it. */
interface Counted {
  readonly lease: Lease;
  waiting: number;
  /** The question under way. */
  asking: Promise<void> | undefined;
}

// Another process may give back what it did not use; until then a storm of refusals costs no query.
const refusalMs = 1_000;
