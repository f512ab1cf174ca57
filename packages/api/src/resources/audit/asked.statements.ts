/**
 * The scope of the question. `people`: changes by procedures, the command line and by hand. `all`: changes by programs
 * as well, in one table or by one key. `row`: changes of one row, or one entry.
 */
export type Asked = 'people' | 'all' | 'row';

/** The filters of the entries, as they are given. */
interface Narrowed {
  table?: string | null | undefined;
  by?: string | null | undefined;
  row?: string | null | undefined;
}

/**
 * Which entries are looked through. Programs make many changes, so these are shown only where a caller asks for them.
 */
export function askedFor({ table, by, row }: Narrowed): Asked {
  if (row != null) return 'row';
  return table == null && by == null ? 'people' : 'all';
}

const keys = 'left join api_keys k on k.location_id = a.location_id and k.id = a.api_key_id';

const isAbout = `($6::uuid in (a.id, a.resource_id)
       or jsonb_path_exists(a.changes, '$.rows[*].key.* ? (@ == $id)', jsonb_build_object('id', $6::uuid)))`;

const sources: Readonly<Record<Asked, string>> = {
  people: `(select * from audit_entries a where a.resource_ids is null)`,
  all: 'audit_entries',
  row: `(select * from audit_entries a where a.resource_ids @> array[$6::uuid]
     union all select * from audit_entries a where a.resource_ids is not null and a.id = $6::uuid
     union all select * from audit_entries a where a.resource_ids is null and ${isAbout})`,
};

/** The entries that are asked for, as `a`: $3 since, $4 table, $5 who, $6 entry or row. Every statement names all of them. */
export const entriesOf = (asked: Asked, location: string): string => `from ${sources[asked]} a ${keys}
   where ${location} and ($3::timestamptz is null or a.created_at >= $3::timestamptz)
     and ($4::text is null or a.relation = $4::text)
     and ($5::text is null or $5::text in (a.actor_name, a.application_name, k.name, a.api_key_id::text)
       or k.name = 'app: ' || $5::text
       or a.application_name in ('audit undo by ' || $5::text, 'audit undo by app: ' || $5::text))
     and ($6::uuid is null or $6::uuid is not null)
     and (a.caused_by is null or $4::text is not null or $6::uuid is not null)`;
