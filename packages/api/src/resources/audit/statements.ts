import { pageBytes, roleKinds, type Statement, statement } from '@comanda/db';
import { keptByName } from '../../kept.ts';
import { type Asked, entriesOf } from './asked.statements.ts';
import { resourceName, rowNames } from './named.statements.ts';
import type { Maker } from './rules.ts';
import type { AuditEntry } from './schema.ts';

/** An entry as it is stored, with the values read with it; absent values are null. */
export interface EntryRow extends Maker {
  id: string;
  location_id: string | null;
  timezone: string | null;
  created_at: Date;
  api_key_id: string | null;
  request_id: string | null;
  client_address: string | null;
  operation: string;
  table: string | null;
  resource_id: string | null;
  resource_name: string | null;
  /** Of the rows that are asked for, each in the place of its row. */
  row_names?: (string | null)[] | null;
  row_count: number | null;
  changes: NonNullable<AuditEntry['changes']> | Required<Pick<AuditEntry, 'rows'>>;
  cascaded: Record<string, number> | null;
  deed: string | null;
  caused_by: string | null;
  undo_of: string | null;
  cannot_undo: string | null;
}

// No person's login ends as the roles do, be it those of the cell that an entry was imported from. A superuser may take any name.
const owner = `(select pg_get_userbyid(c.relowner)::text from pg_class c where c.oid = 'public.audit_entries'::regclass)`;
const login = `case when a.actor_kind <> 'database' then null
       when a.actor_name = regexp_replace(${owner}, '_owner$', '_service') and a.actor_name <> ${owner} then 'service'
       when a.actor_name = ${owner} or a.actor_name ~ '_(${roleKinds.join('|')})$'
         or exists (select from pg_roles r where r.rolname = a.actor_name::name and r.rolsuper) then 'shared' else 'own' end`;

// The rows that are shown of those that an entry keeps.
const changes = `case when a.row_count > 100 then jsonb_build_object('rows', jsonb_path_query_array(a.changes, '$.rows[0 to 99]'))
       else a.changes end`;

// The rows that are shown of a change by a program, and by hand.
const programRows = (only: string): string =>
  `jsonb_build_object('rows', history_rows(a.relation, a.resource_ids, a.changes, ${only}))`;

const shownChanges = (ofRow: boolean): string =>
  `case when a.resource_ids is not null then ${programRows(ofRow ? 'nullif($6::uuid, a.id)' : 'null')} else ${changes} end`;

const shown = (
  ofRow: boolean,
): string => `a.id, a.location_id, l.timezone, a.created_at, a.actor_kind, a.api_key_id, a.key_name,
     a.actor_name as role, ${login} as login, a.application_name as application, a.request_id, a.client_address, a.operation, a.relation as "table",
     a.resource_id, ${resourceName(ofRow ? '$6::uuid' : 'null::uuid')} as resource_name, a.row_count, a.deed, a.caused_by, a.undo_of,
     ${shownChanges(ofRow)} as changes,${ofRow ? ` ${rowNames(`(${shownChanges(ofRow)})->'rows'`, '$6::uuid')} as row_names,` : ''}
     case a.actor_kind when 'database' then undo_refusal(a.id) end as cannot_undo,
     (select jsonb_object_agg(c.relation, c.row_count) from audit_entries c
       where c.location_id = a.location_id and c.created_at = a.created_at and c.caused_by = a.id) as cascaded`;
const ofAsked = <Row>(name: string, text: (asked: Asked) => string) => {
  const kept = keptByName<Statement<Row>>();
  return (asked: Asked) => kept(`${name}_${asked}`, (full) => statement<Row>(full, text(asked)));
};

const anywhere = '($1::uuid is null or a.location_id = $1::uuid or a.resource_id = $1::uuid)';

/** $1 location, $2 how many, $3 since, $4 table, $5 who, $6 entry or row. */
export const listEntries = ofAsked<EntryRow>(
  'list_audit_entries_of',
  (asked) => `select ${shown(asked === 'row')}
   from (select a.*, k.name as key_name ${entriesOf(asked, anywhere)} order by a.created_at desc, a.id desc limit $2) a
   left join locations l on l.id = a.location_id
   order by a.created_at desc, a.id desc`,
);

/** The changes of this transaction to undo $1: at the location of that entry, or anywhere where that had none. */
export const listUndone = statement<EntryRow>(
  'list_undone_entries',
  `select ${shown(false)}
   from (select id, location_id from audit_entries where id = $1::uuid limit 1) main
   cross join lateral (
     select * from audit_entries u
     where u.location_id = main.location_id and u.created_at = now()::timestamptz(3) and u.undo_of = main.id
     union all
     select * from audit_entries u
     where main.location_id is null and u.created_at = now()::timestamptz(3) and u.undo_of = main.id
   ) u cross join lateral (
     select u.*, (select k.name from api_keys k where k.location_id = u.location_id and k.id = u.api_key_id) as key_name) a
   left join locations l on l.id = a.location_id
   where a.caused_by is null
   order by a.created_at desc, a.id desc limit 1000`,
);

const here = 'a.location_id = $1::uuid';

/** Those of one location: $1 location, $2 how many, $3 to $6 as above, $7 how many are skipped. */
export const listEntriesHere = ofAsked<EntryRow>(
  'list_audit_entries_here_of',
  (asked) => `with page as materialized (
     select a.*, k.name as key_name ${entriesOf(asked, here)} order by a.created_at desc, a.id desc limit $2 offset $7
   ), sized as materialized (
     select a.*, octet_length((${changes})::text) as bytes from page a
   ), fitting as materialized (
     select s.*, sum(s.bytes) over (order by s.created_at desc, s.id desc) - s.bytes as bytes_before from sized s
   )
   select ${shown(asked === 'row')}
   from fitting a join locations l on l.id = a.location_id
   where a.bytes_before < ${pageBytes}
   order by a.created_at desc, a.id desc`,
);

/** How many there are: $1 location, $2 unused, $3 to $6 as above. */
export const countEntriesHere = ofAsked<{ total: number }>(
  'count_audit_entries_here_of',
  (asked) => `select count(*)::int as total, $2::int as unused ${entriesOf(asked, here)}`,
);

/** $1 location, $2 entry. */
export const findEntryHere = statement<{ table: string | null }>(
  'find_audit_entry_here',
  'select relation as "table" from audit_entries where location_id = $1::uuid and id = $2::uuid',
);

export const findEntry = statement<{ id: string }>(
  'find_audit_entry',
  'select id from audit_entries where id = $1::uuid',
);

/** $1 what the session calls itself from here on. Answers what it did before. */
export const nameSession = statement<{ before: string }>(
  'name_session',
  `select current_setting('application_name') as before, set_config('application_name', $1, true)`,
);

/** $1 a deed. */
export const declareDeed = statement<never>('declare_deed', `select deed($1)`);

export const undoHandEdit = statement<never>('undo_hand_edit', 'select undo_hand_edit($1::uuid)');

export const findLocation = statement<{ id: string }>(
  'find_audited_location',
  'select id from locations where id = $1::uuid',
);
