import { type LocationTable, type Statement, statement } from '@comanda/db';

// A location as a whole: exported, imported, deleted. Each statement of a table is made from its row (packages/db/src/tables).

export const nameOf = ({ table }: LocationTable): string => table.replace('.', '_');
export const ofLocation = ({ table, ofKeys }: LocationTable): string =>
  table === 'locations'
    ? 't.id = $1::uuid'
    : ofKeys === true
      ? 't.api_key_id in (select k.id from api_keys k where k.location_id = $1::uuid)'
      : 't.location_id = $1::uuid';

/** The first statement of an export. Everything is read as of one moment. */
export const beginSnapshot = statement(
  'export_snapshot',
  'set transaction isolation level repeatable read, read only',
);

/** The text of a row depends on no setting of a server. The files may be slow, and indexes give the order. */
export const exportSettings = statement(
  'export_settings',
  `select set_config('timezone', 'UTC', true), set_config('enable_sort', 'off', true),
     set_config('idle_in_transaction_session_timeout', '0', true)`,
);

/** The record of a location in an export. */
export interface Described {
  id: string;
  code: string;
  name: string;
  status: string;
  exported_at: string;
  migration: string;
  checksum: string;
  epoch: string;
  snapshot: string;
  encryption_keys: string[];
}

/** $1 location. */
export const describeExport = statement<Described>(
  'describe_whole_location',
  `select l.id, l.code, l.name, l.status, to_json(now())#>>'{}' as exported_at, m.migration_name as migration, m.checksum, database_epoch() as epoch,
     pg_snapshot_xmin(pg_current_snapshot())::text as snapshot, array(select s.encryption_key_id from internal.webhook_secrets s where s.location_id = $1::uuid
       union select k.encryption_key_id from internal.idempotency_keys k
       where k.location_id = $1::uuid and k.encryption_key_id is not null order by 1) as encryption_keys
   from locations l cross join (select migration_name, checksum from _prisma_migrations where finished_at is not null
     order by migration_name desc limit 1) m
   where l.id = $1::uuid`,
);

/** $1 location. */
export const declareRows = (each: LocationTable): Statement<never> =>
  statement(
    `export_${nameOf(each)}`,
    `declare exported no scroll cursor for select row_to_json(t)::text as line from ${each.table} t
     where ${ofLocation(each)} order by ${each.order}`,
  );

/** The next rows, so many at most. */
export const fetchRows = <Row extends { line: string }>(most: number): Statement<Row> =>
  statement(`fetch_exported_${most}`, `fetch ${Math.trunc(most)} from exported`);

export const closeRows = statement('close_exported', 'close exported');

/** $1 location. Whether something waits to be published of it, and whether a delivery is under way. */
export const unrest = statement<{ captured: boolean; claimed: boolean; status: string }>(
  'location_at_rest',
  `select l.status,
     exists (select from internal.captured_changes c where c.location_id = l.id and c.failures < 10) as captured,
     exists (select from webhook_deliveries d where d.location_id = l.id and d.next_attempt_at is not null
       and d.leased_until > clock_timestamp()) as claimed
   from locations l where l.id = $1::uuid`,
);

const oneImport = `hashtextextended('comanda locations import', 0)`;

/** Waits for an import that is under way. */
export const awaitImport = statement('import_await', `select pg_advisory_xact_lock(${oneImport})`);

/** Outside a transaction: whether no import is under way. */
export const isImportFree = statement<{ free: boolean }>(
  'import_is_free',
  `select pg_try_advisory_xact_lock(${oneImport}) as free`,
);

/** One import at a time: it moves sequences on. The owner passes its guards, and rows keep their moments. */
export const beginImport = statement<{ free: boolean }>(
  'import_begin',
  `select pg_try_advisory_xact_lock(${oneImport}) as free,
     deed('transfer: comanda locations import'),
     set_config('idle_in_transaction_session_timeout', '0', true)`,
);

/** $1 location, $2 its code. */
export const findForImport = statement<{
  migration: string;
  checksum: string;
  there: boolean;
  taken: boolean;
}>(
  'import_find',
  `select m.migration_name as migration, m.checksum, exists (select from locations l where l.id = $1::uuid) as there,
     exists (select from locations l where l.code = $2) as taken
   from _prisma_migrations m where m.finished_at is not null order by m.migration_name desc limit 1`,
);

/** $1 the row. An operator enables it. */
export const insertLocation = statement(
  'import_location',
  `insert into locations select r.*
   from jsonb_populate_record(null::locations, $1::jsonb || '{"status":"disabled"}') r`,
);

/** $1 rows. */
export const insertRows = (each: LocationTable): Statement<never> =>
  statement(
    `import_${nameOf(each)}`,
    `insert into ${each.table} select r.* from unnest($1::text[]) l (line)
     cross join lateral json_populate_record(null::${each.table}, l.line::json) r`,
  );

/** $1 location. */
export const clearRows = (each: LocationTable): Statement<never> =>
  statement(`clear_${nameOf(each)}`, `delete from ${each.table} t where ${ofLocation(each)}`);

/** $1 location, $2 the other database's epoch: a version that held there holds here. */
export const adoptVersion = statement(
  'import_catalog_version',
  `update internal.catalog_versions set epoch = database_epoch() where location_id = $1::uuid and epoch = $2`,
);

/** $1 location. Later numbers count on from there. */
export const moveSequence = (
  { table }: LocationTable,
  { column, sequence }: { column: string; sequence: string },
) =>
  statement<never>(
    `move_${sequence.replace('.', '_')}_${column}`,
    `select setval('${sequence}', m.most) from (select max(t.${column})::bigint as most from ${table} t where t.location_id = $1::uuid) m
     where m.most > coalesce(pg_sequence_last_value('${sequence}'), 0)`,
  );

/** Said in each transaction of a deletion. Rows are found by their location, under any plan. */
export const beginRemoval = statement(
  'removal_begin',
  `select deed('purge: comanda locations delete'), set_config('enable_seqscan', 'off', true)`,
);

/** $1 location, $2 how many at most. */
export const removeRows = (each: LocationTable): Statement<{ count: number }> =>
  statement(
    `remove_${nameOf(each)}`,
    `with gone as (delete from ${each.table} d where d.ctid = any (array(
       select t.ctid from ${each.table} t where ${ofLocation(each)} limit $2::int)) returning 1)
     select count(*)::int as count from gone`,
  );

/** $1 location. The notes of triggers about a batch: they are not published. */
export const forgetNotes = statement(
  'removal_forget_notes',
  `with notes as (delete from internal.tally_notes where location_id = $1::uuid)
   delete from internal.captured_changes where location_id = $1::uuid`,
);

/** $1 location. */
export const removeLocation = statement<{
  name: string;
  timezone: string;
  currency: string;
  sandbox: boolean;
}>(
  'remove_location',
  'delete from locations where id = $1::uuid returning name, timezone, currency, sandbox',
);
