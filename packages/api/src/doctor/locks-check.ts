import { type Check, count, duration, ok, warning } from './check.ts';
import * as sql from './statements.ts';

/** Looked at before the others: what is held holds them up, too. */
export const locksCheck: Check = {
  name: 'locks',
  means: 'No session holds a lock that the service waits for.',
  advice:
    'Find out who it is (pg_stat_activity), and let it end. Or end it: select pg_terminate_backend(<pid>). While it is held, calls are answered 503.',
  async run({ database, thresholds }) {
    const look = () => database.run(sql.heldLocks, [thresholds.lockSeconds]);
    const before = await look();
    if (before.length === 0) return ok('no session blocks others');
    // A lock that is released within a moment is no finding; the times of other roles are hidden from most roles.
    await new Promise((resolve) => setTimeout(resolve, thresholds.lockSeconds * 1_000));
    const pids = new Set(before.map(({ pid }) => pid));
    const rows = (await look()).filter(({ pid }) => pids.has(pid));
    if (rows.length === 0) return ok('no session blocks others for long');
    const found = rows.map(({ pid, role, name, tables, waiting, seconds }) => {
      const what = [
        tables !== null && `holds ${tables}`,
        waiting > 0 && `${count(waiting, 'session')} ${waiting === 1 ? 'waits' : 'wait'} for it`,
        seconds !== null && `open for ${duration(seconds)}`,
      ].filter((part) => part !== false);
      return `pid ${pid} (${name || 'unnamed'}, ${role}): ${what.join(', ')}`;
    });
    return warning(found.join('; '));
  },
};
