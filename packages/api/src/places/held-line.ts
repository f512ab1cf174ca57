import type { HeldCalls } from './held-calls.ts';
import { createHeldGroup, firstAttemptMs, type HeldGroupOf, type HeldWrites } from './held-group.ts';
import type { Waiting } from './joined-write.ts';
import { noPlace } from './no-place.ts';

/** The calls of one kind of joined write at one location that wait for rows which other transactions hold. */
export interface HeldLine<Member, Outcome> {
  /** Whether the member locks a row that calls lock which have met a lock. */
  sharesRows(member: Member): boolean;
  /** Takes over calls, which are written as soon as their rows are free. Each is refused after `holdUps.rowMs`. */
  take(calls: readonly Waiting<Member, Outcome>[]): void;
  /** Takes over one call that is written by itself, and also waits for its idempotency key. */
  takeAlone(call: Waiting<Member, Outcome>): void;
  isEmpty(): boolean;
}

/** The parts that a line is created from. */
export interface HeldLineOptions<Member, Outcome> extends HeldWrites<Member, Outcome> {
  heldCalls: HeldCalls;
  /** Takes back calls whose row is free. */
  giveBack(calls: readonly Waiting<Member, Outcome>[]): void;
  /** Called when the last call has left. */
  onEmpty(): void;
}

/** A line takes so many calls at most, so that they leave room among the calls of their location that are in flight. */
export const mostInLine = 64;

const sharesHeldRow = (
  group: Pick<HeldGroupOf<never, never>, 'isHeld' | 'rows'>,
  rows: readonly string[],
): boolean => group.isHeld() && group.rows.some((row) => rows.includes(row));

/** Creates the line. It is empty. */
export function createHeldLine<Member, Outcome>(
  options: HeldLineOptions<Member, Outcome>,
): HeldLine<Member, Outcome> {
  const { what, heldCalls, giveBack, onEmpty } = options;
  const line = {};
  const groups = new Map<unknown, HeldGroupOf<Member, Outcome>>();
  let size = 0;

  const rowsOf = (member: Member) => [...new Set(what.rows(member).map((id) => id.toLowerCase()))].sort();

  function createGroup(name: unknown, rows: readonly string[], isAlone: boolean) {
    const onLeave = () => {
      size -= 1;
      if (group.isEmpty()) groups.delete(name);
      if (groups.size === 0) onEmpty();
    };
    const onWritten = () => giveBack(callsBehind(group));
    const writeEach = (calls: readonly Waiting<Member, Outcome>[]) => calls.forEach(takeAlone);
    const group = createHeldGroup({ ...options, line, rows, isAlone, onLeave, onWritten, writeEach });
    groups.set(name, group);
    return group;
  }

  /** The calls that wait for a row of a group whose first calls were written. A batch writes them soonest. */
  function callsBehind(written: HeldGroupOf<Member, Outcome>): Waiting<Member, Outcome>[] {
    const behind = [...groups.values()].filter(
      (group) => group === written || sharesHeldRow(group, written.rows),
    );
    // A first attempt says nothing about a row that other groups wait for.
    const released = written.isHeld() ? behind : [written];
    return released
      .flatMap((group) => group.releaseWaiting())
      .sort((one, other) => (one.until ?? 0) - (other.until ?? 0));
  }

  function admit(call: Waiting<Member, Outcome>): boolean {
    if (size >= mostInLine) {
      call.reject(noPlace('location_busy'));
      return false;
    }
    size += 1;
    return true;
  }

  // Most calls of a batch do not need the row that is held. They do not wait for those that do.
  async function attemptFirst(group: HeldGroupOf<Member, Outcome>): Promise<void> {
    while (!group.isEmpty()) if (!(await group.attempt(firstAttemptMs, 'joined'))) break;
    if (!group.isEmpty()) heldCalls.add(group);
  }

  function takeAlone(call: Waiting<Member, Outcome>): void {
    if (!admit(call)) return;
    const group = createGroup({}, [], true);
    group.add(call);
    void attemptFirst(group);
  }

  return {
    sharesRows(member) {
      const rows = rowsOf(member);
      return [...groups.values()].some((group) => sharesHeldRow(group, rows));
    },
    take(calls) {
      const created: HeldGroupOf<Member, Outcome>[] = [];
      for (const call of calls) {
        if (!admit(call)) continue;
        const rows = rowsOf(call.member);
        const name = rows.join();
        let group = groups.get(name);
        if (group === undefined) {
          group = createGroup(name, rows, false);
          created.push(group);
        }
        group.add(call);
      }
      for (const group of created) void attemptFirst(group);
    },
    takeAlone,
    isEmpty: () => groups.size === 0,
  };
}
