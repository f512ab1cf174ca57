import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@comanda/db';
import type { TestProcess } from '../../support/processes.ts';

/**
 * Stops a process at moments of chance until `look` finds it in the state in which it must be killed, and kills it there. Since the
 * process is frozen, it dies in the state that `look` found. Returns that state, and the time of death by `performance.now()`.
 *
 * @throws {Error} when it is not found at it within `timeoutMs`, or ends by itself.
 */
export async function killAtWork<Work>(
  running: TestProcess,
  look: () => Promise<Work | undefined>,
  { pauseMs, timeoutMs = 60_000 }: { pauseMs: () => number; timeoutMs?: number },
): Promise<{ work: Work; killedAt: number; looks: number }> {
  const end = performance.now() + timeoutMs;
  for (let looks = 1; performance.now() < end; looks++) {
    await sleep(pauseMs());
    process.kill(running.pid, 'SIGSTOP');
    const work = await look();
    if (work === undefined) {
      process.kill(running.pid, 'SIGCONT');
      continue;
    }
    const { signal } = await running.stop('SIGKILL');
    if (signal !== 'SIGKILL') throw new Error(`it ended by itself:\n${running.output()}`);
    return { work, killedAt: performance.now(), looks };
  }
  process.kill(running.pid, 'SIGCONT');
  throw new Error(`was never found at work within ${timeoutMs} ms:\n${running.output()}`);
}

// Anything that a process had sent before it was stopped is carried out by then, or waits for a lock.
const settleMs = 60;

/**
 * Whether sessions under the name are in the middle of publishing: they hold the relay's lock of a location, and go on
 * holding it in the same transaction. Returns the last change that waits.
 */
export async function publishing(database: Database, sessions: string): Promise<string | undefined> {
  const held = async () => {
    const { rows } = await database.pool.query<{ xact: string }>(
      `select a.pid::text || ' ' || a.xact_start::text as xact from pg_locks l join pg_stat_activity a using (pid)
       join locations o on ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended('comanda relay ' || o.id, 0)
       where l.locktype = 'advisory' and l.granted and a.application_name = $1 and a.datname = current_database()`,
      [sessions],
    );
    return rows[0]?.xact;
  };
  const before = await held();
  if (before === undefined) return undefined;
  await sleep(settleMs);
  if ((await held()) !== before) return undefined;
  const { rows } = await database.pool.query<{ last: string | null }>(
    'select max(id)::text as last from internal.captured_changes',
  );
  return rows[0]?.last ?? undefined;
}

/** A delivery that a worker had claimed. */
export interface Claim {
  eventId: string;
  locationId: string;
  /** The attempt it was about to make or had made. */
  attempt: number;
}

/** The deliveries that the worker has claimed and not recorded; undefined when there is none. */
export async function delivering(database: Database, { pid }: TestProcess): Promise<Claim[] | undefined> {
  await sleep(settleMs);
  const { rows } = await database.pool.query<Claim>(
    `select d.event_id as "eventId", d.location_id as "locationId", d.attempts + 1 as attempt
     from webhook_deliveries d join internal.process_heartbeats h on h.id = d.leased_by
     where h.pid = $1 and d.leased_until > now()`,
    [pid],
  );
  return rows.length > 0 ? rows : undefined;
}
