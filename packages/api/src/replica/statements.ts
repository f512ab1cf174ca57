import { statement } from '@comanda/db';

/** A place in the write-ahead log, in bytes since its beginning: exact up to 9 petabytes. */
export type LogPosition = number;

const bytes = (lsn: string) => `(${lsn} - '0/0'::pg_lsn)::float8`;

/** Since when a server runs: no other does since the same moment, and what it holds is exchanged only while it does not run. */
const since = 'extract(epoch from pg_postmaster_start_time())::text as since';

/**
 * On the primary: up to where its log is written, which holds every commit that anybody can have seen, and the line of
 * history it writes. Without `synchronous_commit` commits are seen before they are written.
 */
export const readWritten = statement<{ position: LogPosition; timeline: string; since: string }>(
  'read_written_position',
  `select ${bytes(`case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
     else pg_current_wal_flush_lsn() end`)} as position,
     left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as timeline, ${since}`,
);

/** On the replica: up to where it has replayed the primary's log; null on a server that never was a standby. */
export const readReplayed = statement<{ standby: boolean; position: LogPosition | null; since: string }>(
  'read_replayed_position',
  `select pg_is_in_recovery() as standby, ${bytes('pg_last_wal_replay_lsn()')} as position, ${since}`,
);

/** On the primary: the newest beat of a process of ours. Another history has none of the same process at that time. */
export const readBeat = statement<Beat>(
  'read_newest_beat',
  'select id, seen_at::text as "seenAt" from internal.process_heartbeats order by seen_at desc limit 1',
);

/** A sign of life of a process. */
export interface Beat {
  id: string;
  seenAt: string;
}

/**
 * On the replica, once it has replayed the primary's log up to its reported beat; or on the primary, for its own
 * state.
 */
export const showsBeat = statement<{ shown: boolean }>(
  'read_shown_beat',
  `select exists (select from internal.process_heartbeats where id = $1 and seen_at >= $2::timestamptz) as shown`,
);

/** The data that show whether one server is a standby of another. */
export interface ServerIdentity {
  standby: boolean;
  /** Made with the cluster; all copies of it share it. */
  cluster: string;
  /** The database within the cluster. */
  database: string;
  /** The line of history, which changes when a standby takes over. Of a standby: one that it surely has reached. */
  timeline: string;
  since: string;
}

/** On either. */
export const readIdentity = statement<ServerIdentity>(
  'read_server_identity',
  `select pg_is_in_recovery() as standby, (select system_identifier::text from pg_control_system()) as cluster,
     (select oid::text from pg_database where datname = current_database()) as database,
     case when pg_is_in_recovery() then upper(lpad(to_hex(greatest(
         (select timeline_id from pg_control_checkpoint()),
         (select min_recovery_end_timeline from pg_control_recovery()))), 8, '0'))
       else left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) end as timeline, ${since}`,
);
