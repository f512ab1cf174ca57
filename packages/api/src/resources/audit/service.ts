import { type Database, isId, statement } from '@comanda/db';
import { notFound } from '../../errors.ts';
import { wireTime } from '../../wire.ts';
import type { AuditEntry, AuditList } from './schema.ts';

/**
 * Lists audit entries of every location, or what one did or what was done to it, newest first, their times in the
 * zone of the location where it was done. Throws `resource_not_found` for an unknown location.
 */
export async function list(database: Database, { location_id, limit }: AuditList): Promise<AuditEntry[]> {
  if (location_id !== undefined && !(await exists(database, location_id))) throw notFound('Location');
  const found = await database.run(listEntries, [location_id ?? null, limit]);
  return found.map(({ timezone, created_at, ...row }) => ({
    id: row.id,
    location_id: row.location_id,
    created_at: wireTime(created_at, timezone),
    actor: row.actor_kind,
    ...(row.api_key_id !== null && { api_key_id: row.api_key_id }),
    ...(row.key_name !== null && { key_name: row.key_name }),
    ...(row.request_id !== null && { request_id: row.request_id }),
    operation: row.operation,
    ...(row.resource_id !== null && { resource_id: row.resource_id }),
    changes: row.changes,
  }));
}

async function exists({ prisma }: Database, id: string): Promise<boolean> {
  return isId(id) && (await prisma.location.findUnique({ where: { id } })) !== null;
}

interface EntryRow {
  id: string;
  location_id: string;
  timezone: string;
  created_at: Date;
  actor_kind: AuditEntry['actor'];
  api_key_id: string | null;
  key_name: string | null;
  request_id: string | null;
  operation: string;
  resource_id: string | null;
  changes: AuditEntry['changes'];
}

const listEntries = statement<EntryRow>(
  'list_audit_entries',
  `select a.id, a.location_id, l.timezone, a.created_at, a.actor_kind, a.api_key_id, k.name as key_name, a.request_id,
     a.operation, a.resource_id, a.changes
   from audit_entries a
   join locations l on l.id = a.location_id
   left join api_keys k on k.location_id = a.location_id and k.id = a.api_key_id
   where $1::uuid is null or a.location_id = $1::uuid or a.resource_id = $1::uuid
   order by a.created_at desc, a.id desc limit $2`,
);
