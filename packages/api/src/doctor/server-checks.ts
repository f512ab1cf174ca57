import type { Queryable } from '@comanda/db';
import { connections, readHeartbeats } from '../metrics/statements.ts';
import { type Check, count, duration, judge, ok, unknown, warning } from './check.ts';
import * as sql from './statements.ts';

/** How the database server is doing. */
export const serverChecks: readonly Check[] = [
  {
    name: 'clock',
    means: 'This machine, those of all processes and the database agree on the time.',
    advice:
      'Let both take their time from the same source (NTP). Limits, schedules and signatures depend on the clock.',
    async run({ database, thresholds }) {
      const skew = await measureSkew(database);
      const seconds = (Math.abs(skew) / 1_000).toFixed(1);
      const found = `this machine is ${seconds} s ${skew < 0 ? 'ahead of' : 'behind'} the database`;
      const processes = (await database.run(readHeartbeats, [])).filter(({ alive }) => alive);
      const off = processes
        .map(({ kind, host, pid, clockSkewMs }) => ({ who: `${kind} ${host}:${pid}`, ms: clockSkewMs ?? 0 }))
        .filter(({ ms }) => Math.abs(ms) > thresholds.clockSkewMs.warning);
      const texts = off
        .slice(0, 5)
        .map(
          ({ who, ms }) =>
            `${who} is ${(Math.abs(ms) / 1_000).toFixed(1)} s ${ms < 0 ? 'ahead of' : 'behind'} the database`,
        );
      if (Math.abs(skew) > thresholds.clockSkewMs.warning) texts.unshift(found);
      const most = Math.max(Math.abs(skew), ...off.map(({ ms }) => Math.abs(ms)));
      return texts.length === 0
        ? ok('less than a second apart')
        : judge(most, thresholds.clockSkewMs, texts.join('; '));
    },
  },
  {
    name: 'connections',
    means: 'The database has connections left.',
    advice: 'Raise max_connections, run fewer processes, or find who holds them in pg_stat_activity.',
    async run({ database, thresholds }) {
      const [row] = await database.run(connections, []);
      const { used = 0, usable = 1 } = row ?? {};
      return judge(used / usable, thresholds.connections, `${used} of ${usable} in use`);
    },
  },
  {
    name: 'long transactions',
    means: 'No transaction stays open: it would hold back the relay, migrations and vacuum.',
    advice:
      'Close the program that opened it, or end it: select pg_terminate_backend(<pid>). To see those of other roles, as a superuser: grant pg_read_all_stats to <role of the service>.',
    async run({ database, thresholds }) {
      const { idleInTransactionSeconds, activeSeconds } = thresholds;
      const rows = await database.run(sql.longTransactions, [idleInTransactionSeconds, activeSeconds]);
      const [hidden] = await database.run(sql.hiddenSessions, []);
      if (rows.length === 0 && hidden !== undefined && hidden.count > 0)
        return unknown(
          `none of its own, but ${hidden.role} cannot see into ${count(hidden.count, 'session')} of other roles (${hidden.others})`,
        );
      if (rows.length === 0) return ok('none');
      const found = rows.map(
        ({ pid, name, idle, seconds }) =>
          `pid ${pid} (${name || 'unnamed'}), ${idle ? 'idle' : 'at work'}, open for ${duration(seconds)}`,
      );
      return warning(found.join('; '));
    },
  },
  {
    name: 'prepared transactions',
    means: 'No prepared transaction is forgotten: it holds its locks, also over a restart.',
    advice: 'Its program ends it, or you do: rollback prepared <name>.',
    async run({ database, thresholds }) {
      const rows = await database.run(sql.oldPrepared, [thresholds.idleInTransactionSeconds]);
      if (rows.length === 0) return ok('none');
      return warning(
        rows.map(({ name, owner, seconds }) => `${name} of ${owner} for ${duration(seconds)}`).join('; '),
      );
    },
  },
  {
    name: 'reading changes',
    means:
      'No transaction that has changed something stays open: readers of changes meet what came since again and again.',
    advice:
      'Close the program that opened it, or end it: select pg_terminate_backend(<pid>), or rollback prepared <name>.',
    async run({ database, thresholds }) {
      const rows = await database.run(sql.openWriters, [thresholds.openWriterSeconds]);
      if (rows.length === 0) return ok('nothing is held back');
      const found = rows.map(({ pid, prepared, name, seconds }) => {
        const who =
          pid === null ? `prepared transaction ${prepared ?? ''}` : `pid ${pid} (${name || 'unnamed'})`;
        return `${who} for ${duration(seconds)}`;
      });
      return warning(`held back by ${found.join('; ')}`);
    },
  },
  {
    name: 'vacuum',
    means: 'Autovacuum keeps up: no table holds more dead rows than living ones.',
    advice:
      'See that autovacuum is on and that no long transaction holds it back; then: vacuum (analyze) <table>.',
    async run({ database, thresholds }) {
      const rows = await database.run(sql.neglectedTables, [thresholds.deadRows]);
      if (rows.length === 0) return ok('all tables kept up with');
      return warning(
        rows.map(({ table, dead, live }) => `${table}: ${dead} dead rows, ${live} living`).join('; '),
      );
    },
  },
];

/** The database's time less ours, in milliseconds, as the quickest of a few questions shows it. */
async function measureSkew(database: Queryable): Promise<number> {
  let best = { trip: Number.POSITIVE_INFINITY, skew: 0 };
  for (let round = 0; round < 4; round += 1) {
    const asked = performance.now();
    const [row] = await database.run(sql.databaseTime, []);
    const trip = performance.now() - asked;
    if (row !== undefined && trip < best.trip) best = { trip, skew: row.ms - (Date.now() - trip / 2) };
  }
  return best.skew;
}
