import { statement } from '@comanda/db';
import { archiver } from '../metrics/statements.ts';
import { type Check, count, duration, judge, ok, warning } from './check.ts';

/** The state of the server's write-ahead log: whether its archive gets it, and what keeps it from being removed. */
export const logChecks: readonly Check[] = [
  {
    name: 'archive',
    means: 'The log is archived: without an archive a base backup restores its own moment alone.',
    advice:
      'See the log of the server for what archive_command says, and pg_stat_archiver. Until it succeeds, pg_wal grows, and no moment since can be restored (docs/backup.md).',
    async run({ database }) {
      const [row] = await database.run(archiver, []);
      if (row === undefined || row.mode === 'off') return ok('archive_mode is off: no log is archived');
      const { failedFile, failedSeconds, failures, archivedSeconds } = row;
      const last = archivedSeconds === null ? 'nothing yet' : `the last ${duration(archivedSeconds)} ago`;
      if (failedSeconds === null || (archivedSeconds !== null && archivedSeconds <= failedSeconds))
        return ok(`archived: ${last}`);
      return warning(
        `${failedFile} failed ${duration(failedSeconds)} ago, ${count(failures, 'failure')} in all; archived: ${last}`,
      );
    },
  },
  {
    name: 'replication slots',
    means: 'No unread replication slot keeps the log: it would fill the disk.',
    advice:
      "Start the standby that reads it, or drop it: select pg_drop_replication_slot('<slot>'). max_slot_wal_keep_size bounds what a slot keeps.",
    async run({ database, thresholds }) {
      const rows = await database.run(slots, []);
      const bad = rows.filter(({ active, kept, lost }) => lost || (!active && kept > thresholds.slotBytes));
      if (bad.length === 0)
        return ok(rows.length === 0 ? 'there are none' : `${count(rows.length, 'slot')}, none keeps much`);
      const found = bad.map(({ name, kept, lost }) =>
        lost ? `${name} lost what it needs` : `${name} is not read, and keeps ${megabytes(kept)} MiB`,
      );
      return warning(found.join('; '));
    },
  },
  {
    name: 'transaction ids',
    means: 'Vacuum freezes old rows in time: where it does not, the server at last refuses every write.',
    advice:
      'End what holds vacuum back (long transactions, prepared transactions, replication slots), then, in the database that is named: vacuum (freeze).',
    async run({ database, thresholds }) {
      const [oldest] = await database.run(oldestDatabase, []);
      const { name = '', age = 0 } = oldest ?? {};
      const found = `${Math.round(age / 1e6)} of 2147 million are taken since the oldest row of ${name}`;
      return judge(age, thresholds.transactionAge, found);
    },
  },
];

const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2);

// Every role may read this view whole, unlike pg_stat_replication.
const slots = statement<{ name: string; active: boolean; kept: number; lost: boolean }>(
  'doctor_slots',
  `select slot_name::text as name, active, coalesce(wal_status = 'lost', false) as lost,
     coalesce(pg_wal_lsn_diff(
       case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn), 0)::float8 as kept
   from pg_replication_slots order by kept desc, slot_name limit 100`,
);

const oldestDatabase = statement<{ name: string; age: number }>(
  'doctor_oldest_database',
  `select datname::text as name, greatest(age(datfrozenxid), mxid_age(datminmxid)) as age
   from pg_database order by age desc limit 1`,
);
