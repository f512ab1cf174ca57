import {
  again,
  boundedRoles,
  type Clock,
  isState,
  type Loop,
  mostLocks,
  type Queryable,
  roleBounds,
  startLoop,
  wardenLooks,
} from '@comanda/db';
import type { Logger } from 'pino';
import { endSession, type HandSession, lookAtHands, lookForOthers } from './warden.statements.ts';

const bounds = JSON.stringify(boundedRoles.map((role) => ({ role, ...roleBounds[role] })));

const reasons = {
  blocks: 'the service waits for a lock that it holds',
  locks: `it holds more than ${mostLocks} locks`,
  ran: 'its statement runs for too long',
  idle: 'its transaction lies idle for too long',
  open: 'its transaction is open for too long',
  held: 'it holds an advisory lock for too long',
} as const;

/**
 * Ends the sessions of the roles admin and reader that pass a bound (`roleBounds`), or that the service waits for. While there
 * are any it looks about twice a second: what such a session sets for itself bounds nothing. Needs `pg_signal_backend`; without it one warning
 * is logged, and doctor reports it. Every worker runs one.
 */
export function startWarden(database: Queryable, rolePrefix: string, log: Logger, clock: Clock): Loop {
  const heldSince = new Map<string, number>();
  let mayEnd = true;

  const end = async (session: HandSession, past: keyof typeof reasons) => {
    const { pid, started, role, user, application } = session;
    try {
      const [row] = await database.run(endSession, [pid, started]);
      if (row?.ended === true)
        log.warn({ backend: pid, role, user, application }, `a session was ended: ${reasons[past]}`);
    } catch (error) {
      if (!isState(error, 'notGranted')) throw error;
      if (mayEnd) log.warn({ err: error, backend: pid, role }, 'no session may be ended: see comanda doctor');
      mayEnd = false;
    }
  };

  return startLoop({
    clock,
    firstRestMs: wardenLooks.everyMs,
    async round() {
      const values = [rolePrefix, bounds, wardenLooks.waitMs / 1_000, mostLocks];
      const [others] = await database.run(lookForOthers, []);
      const sessions = others?.found === true ? await database.run(lookAtHands, values) : [];
      const overdue = tooLongHeld(sessions, heldSince, clock.now());
      for (const session of sessions) {
        const past = session.past ?? (overdue.has(session) ? 'held' : null);
        if (past !== null) await end(session, past);
      }
      return again(sessions.length > 0 ? wardenLooks.everyMs : wardenLooks.restMs);
    },
    failed: (error) => log.warn({ err: error }, 'looking at the sessions of people failed'),
  });
}

/**
 * The sessions that hold an advisory lock for longer than their role may. PostgreSQL does not record since when: `since` has
 * when each lock was first seen, and keeps those that are still held.
 */
function tooLongHeld(
  sessions: readonly HandSession[],
  since: Map<string, number>,
  now: number,
): Set<HandSession> {
  const seen = new Set<string>();
  const overdue = new Set<HandSession>();
  for (const session of sessions) {
    for (const lock of session.held) {
      const key = `${session.pid} ${session.started} ${lock}`;
      seen.add(key);
      const first = since.get(key) ?? now;
      since.set(key, first);
      if (now - first >= roleBounds[session.role].advisoryLock * 1_000) overdue.add(session);
    }
  }
  for (const key of since.keys()) if (!seen.has(key)) since.delete(key);
  return overdue;
}
