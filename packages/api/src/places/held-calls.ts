import { holdUps } from '@comanda/db';

/** Calls of one location that lock the same rows. Another transaction holds one of these rows. */
export interface HeldGroup {
  /** The queue that the calls left: one kind of joined write at one location. */
  readonly line: object;
  isEmpty(): boolean;
  /** Writes the first of its calls, if their locks come within `lockWaitMs`. Never rejects. */
  attempt(lockWaitMs: number): Promise<unknown>;
}

/**
 * Decides which held calls wait in the database. All others wait in memory, without a place and without a connection:
 * one attempt is enough to learn that a row is free.
 */
export interface HeldCalls {
  /** Attempts the group until it has no calls left. */
  add(group: HeldGroup): void;
}

/** How many attempts run at once in a process, by how long they wait. They have no other bound but that of all calls. */
export const heldLimits = {
  /** One of a queue at most. It is served when the row is free, and the worker's warden sees it wait. */
  long: 3,
  /** For the groups without a long attempt, each in turn. */
  short: 1,
  /** All groups have a short attempt within about this time. */
  roundMs: 200,
  shortMs: { least: 10, most: 100 },
} as const;

/** Creates the held calls of one process. There are none at first. */
export function createHeldCalls(): HeldCalls {
  /** The groups without an attempt under way. The last one was attempted last. */
  let idle: HeldGroup[] = [];
  const linesWithLong = new Set<object>();
  let short = 0;

  function startAttempts(): void {
    // Calls also leave because a row was found free, or because they waited too long.
    idle = idle.filter((group) => !group.isEmpty());
    for (;;) {
      const forLong =
        linesWithLong.size < heldLimits.long ? idle.find(({ line }) => !linesWithLong.has(line)) : undefined;
      const forShort = short < heldLimits.short ? idle[0] : undefined;
      if (forLong !== undefined) void attemptLong(forLong);
      else if (forShort !== undefined) void attemptShort(forShort);
      else return;
    }
  }

  async function attemptLong(group: HeldGroup): Promise<void> {
    linesWithLong.add(group.line);
    await attempt(group, holdUps.rowMs);
    linesWithLong.delete(group.line);
    startAttempts();
  }

  async function attemptShort(group: HeldGroup): Promise<void> {
    short += 1;
    const { least, most } = heldLimits.shortMs;
    await attempt(group, Math.min(most, Math.max(least, heldLimits.roundMs / idle.length)));
    short -= 1;
    startAttempts();
  }

  async function attempt(group: HeldGroup, lockWaitMs: number): Promise<void> {
    idle = idle.filter((other) => other !== group);
    await group.attempt(lockWaitMs);
    idle.push(group);
  }

  return {
    add(group) {
      idle.push(group);
      startAttempts();
    },
  };
}
