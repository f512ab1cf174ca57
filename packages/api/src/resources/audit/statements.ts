import { statement } from '@comanda/db';
import type { AuditEntry } from './schema.ts';

/** An entry as it is stored, with what is read beside it; what is absent is null. */
export interface EntryRow {
  id: string;
  location_id: string | null;
  timezone: string | null;
  created_at: Date;
  actor_kind: AuditEntry['actor'];
  api_key_id: string | null;
  key_name: string | null;
  role: string | null;
  application: string | null;
  request_id: string | null;
  operation: string;
  table: string | null;
  resource_id: string | null;
  row_count: number | null;
  changes: NonNullable<AuditEntry['changes']> | Required<Pick<AuditEntry, 'rows'>>;
  cascaded: Record<string, number> | null;
  deed: string | null;
  caused_by: string | null;
  undo_of: string | null;
}

/** $1 location, $2 how many, $3 since, $4 table, $5 who, $6 entry or row, $7 what this transaction has undone. */
export const listEntries = statement<EntryRow>(
  'list_audit_entries',
  `select a.id, a.location_id, l.timezone, a.created_at, a.actor_kind, a.api_key_id, k.name as key_name,
     a.actor_name as role, a.application_name as application, a.request_id, a.operation, a.relation as "table",
     a.resource_id, a.row_count, a.changes, a.deed, a.caused_by, a.undo_of,
     (select jsonb_object_agg(c.relation, c.row_count) from audit_entries c
       where c.location_id = a.location_id and c.created_at = a.created_at and c.caused_by = a.id) as cascaded
   from audit_entries a
   left join locations l on l.id = a.location_id
   left join api_keys k on k.location_id = a.location_id and k.id = a.api_key_id
   where ($1::uuid is null or a.location_id = $1::uuid or a.resource_id = $1::uuid)
     and ($3::timestamptz is null or a.created_at >= $3::timestamptz)
     and ($4::text is null or a.relation = $4::text)
     and ($5::text is null or $5::text in (a.actor_name, a.application_name, k.name, a.api_key_id::text))
     and ($6::uuid is null or $6::uuid in (a.id, a.resource_id)
       or jsonb_path_exists(a.changes, '$.rows[*].key.* ? (@ == $id)', jsonb_build_object('id', $6::uuid)))
     and ($7::uuid is null or a.undo_of = $7::uuid and a.created_at = now()::timestamptz(3))
     and (a.caused_by is null or $4::text is not null or $6::uuid is not null)
   order by a.created_at desc, a.id desc limit $2`,
);

export const findEntry = statement<{ id: string }>(
  'find_audit_entry',
  'select id from audit_entries where id = $1::uuid',
);

/** The rest of the transaction is a person's, not the service's: $1 what the session calls itself, $2 a deed or nothing. */
export const actByHand = statement<never>(
  'act_by_hand',
  `select set_config('application_name', $1, true), set_config('comanda.deed', $2, true)`,
);

export const undoHandEdit = statement<never>('undo_hand_edit', 'select undo_hand_edit($1::uuid)');
