import type { Declaration, ProcessHeartbeat, SqlObject, SqlRelease } from '../generated/prisma/client.ts';
import { everything, type Guard, table } from './table.ts';

const book: Guard = { serviceOnly: 'all', sentence: 'npm start keeps the book of prisma/sql' };

export const processHeartbeats = table<ProcessHeartbeat>()('process_heartbeats', {
  schema: 'internal',
  key: ['id'],
  columns: {
    id: {},
    kind: {},
    host: {},
    pid: {},
    pid_space: {},
    unsignable: {},
    started_at: {},
    seen_at: {},
  },
  access: { service: everything, people: 'none' },
  belongs: null,
  guards: [{ serviceOnly: 'all', sentence: 'processes tell of themselves' }],
});

export const sqlObjects = table<SqlObject>()('sql_objects', {
  schema: 'internal',
  key: ['identity'],
  columns: { identity: {}, checksum: {}, definition: {}, gone_since: {}, applied_at: {} },
  access: { service: ['select'], people: 'none' },
  belongs: null,
  guards: [book],
});

export const sqlReleases = table<SqlRelease>()('sql_releases', {
  schema: 'internal',
  key: ['hash'],
  columns: { hash: {}, release: {}, applied_at: {}, migrations: {} },
  access: { service: ['select'], people: 'none' },
  belongs: null,
  guards: [book],
});

export const declarations = table<Declaration>()('declarations', {
  schema: 'internal',
  key: ['transaction_id', 'id'],
  columns: {
    transaction_id: {},
    id: {},
    started_at: {},
    deed: {},
    undo_of: {},
    announced_at: {},
    deletion: {},
    deletion_location: {},
  },
  access: { service: ['select'], people: 'none' },
  belongs: null,
});
