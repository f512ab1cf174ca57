import type { Declaration, ProcessHeartbeat, SqlObject, SqlRelease } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

const book = 'npm start keeps the book of prisma/sql';

export const processHeartbeats = table<ProcessHeartbeat>()('process_heartbeats', {
  schema: 'internal',
  columns: plain(
    'id kind host pid pid_space unsignable started_at seen_at clock_skew_ms deliveries_paused published_at',
  ),
  people: 'none',
  belongs: null,
  serviceOnly: 'processes report themselves',
});

export const sqlObjects = table<SqlObject>()('sql_objects', {
  schema: 'internal',
  key: ['identity'],
  columns: plain('identity checksum definition gone_since applied_at'),
  people: 'none',
  service: ['select'],
  belongs: null,
  serviceOnly: book,
});

export const sqlReleases = table<SqlRelease>()('sql_releases', {
  schema: 'internal',
  key: ['hash'],
  columns: plain('hash release applied_at migrations'),
  people: 'none',
  service: ['select'],
  belongs: null,
  serviceOnly: book,
});

export const declarations = table<Declaration>()('declarations', {
  schema: 'internal',
  key: ['transaction_id', 'id'],
  columns: plain('transaction_id id started_at deed undo_of announced_at deletion deletion_location'),
  people: 'none',
  service: ['select'],
  belongs: null,
});
