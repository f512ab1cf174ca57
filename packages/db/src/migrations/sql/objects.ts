import type pg from 'pg';
import { MigrationError } from '../../release/migration-error.ts';
import { identityOf, nameOf, type ObjectKind } from './identity.ts';
import type { SqlStatement } from './statements.ts';

/** The applier's record of an object that it made. */
export interface RecordedObject {
  identity: string;
  checksum: string;
  definition: string;
  /** The release whose folder was the first without it. */
  goneSince: string | null;
}

/** The database's description of an object. */
export interface FoundObject {
  /** md5 of how the database would write it. */
  definition: string;
  /** Of a function: with its arguments; several when the name is taken more than once. */
  signatures: string[];
  /** Of a trigger: it is a constraint. */
  constraint: boolean;
}

/**
 * Objects that the applier has made and that are now missing or written otherwise, a trigger also when it is
 * disabled.
 */
export async function readChangedObjects(pool: Pick<pg.Pool, 'connect'>): Promise<string[]> {
  const client = await pool.connect();
  try {
    // As the applier saw them: how PostgreSQL writes a definition hangs on the search path.
    await client.query('begin read only');
    await client.query('set local search_path = public, internal');
    return await changedObjects(client);
  } finally {
    await client.query('rollback').catch(() => {});
    client.release();
  }
}

async function changedObjects(client: Pick<pg.Client, 'query'>): Promise<string[]> {
  const recorded = (await readRecorded(client)).filter(({ goneSince }) => goneSince === null);
  const found = await readFound(
    client,
    recorded.map(({ identity }) => nameOf(identity)),
  );
  return recorded.flatMap(({ identity, definition }) =>
    found.get(identity)?.definition === definition ? [] : identity,
  );
}

/** Everything that the applier has made and not dropped. */
export async function readRecorded(client: Pick<pg.Client, 'query'>): Promise<RecordedObject[]> {
  const { rows } = await client.query<RecordedObject>(
    'select identity, checksum, definition, gone_since as "goneSince" from internal.sql_objects order by identity',
  );
  return rows;
}

/** The database's descriptions of the objects that these statements make, by identity. */
export async function readFound(
  client: Pick<pg.Client, 'query'>,
  statements: readonly Pick<SqlStatement, 'name'>[],
): Promise<Map<string, FoundObject>> {
  const names = [...new Set(statements.map(({ name }) => name))];
  const { rows } = await client.query<FoundObject & { kind: ObjectKind; name: string; table: string | null }>(
    `with here as (select oid from pg_namespace where nspname = any (current_schemas(false)))
     select case prokind when 'p' then 'procedure' else 'function' end as kind, proname as name, null as "table",
            min(md5(pg_get_functiondef(p.oid))) as definition, false as "constraint",
            array_agg(p.oid::regprocedure::text order by p.oid::regprocedure::text) as signatures
     from pg_proc p join here on here.oid = pronamespace
     where proname = any ($1) and prokind in ('f', 'p')
     group by 1, 2
     union all
     select 'view', relname, null,
            md5(pg_get_viewdef(v.oid, true) || coalesce(array_to_string(reloptions, ','), '')), false, '{}'
     from pg_class v join here on here.oid = relnamespace
     where relname = any ($1) and relkind = 'v'
     union all
     select 'trigger', tgname, relname,
            md5(pg_get_triggerdef(t.oid, true) || tgenabled::text), tgconstraint <> 0, '{}'
     from pg_trigger t join pg_class c on c.oid = tgrelid join here on here.oid = relnamespace
     where tgname = any ($1) and not tgisinternal`,
    [names],
  );
  return new Map(
    rows.map(({ kind, name, table, ...found }) => [
      identityOf({ kind, name, ...(table !== null && { table }) }),
      found,
    ]),
  );
}

/** Those of the statements whose object is missing, was written otherwise, or was changed by hand. */
export async function differing(
  client: pg.Client,
  statements: readonly SqlStatement[],
): Promise<SqlStatement[]> {
  if (statements.length === 0) return [];
  const recorded = new Map((await readRecorded(client)).map((row) => [row.identity, row]));
  const found = await readFound(client, statements);
  return statements.filter(({ identity, checksum }) => {
    const known = recorded.get(identity);
    return known?.checksum !== checksum || found.get(identity)?.definition !== known.definition;
  });
}

/**
 * Remembers what was made, as the database now says it.
 * @throws {MigrationError} the database does not have it, or has two functions of its name.
 */
export async function record(client: pg.Client, statements: readonly SqlStatement[]): Promise<void> {
  const found = await readFound(client, statements);
  const definitions = statements.map((statement) => {
    const { identity, file, line } = statement;
    const now = found.get(identity);
    if (now === undefined)
      throw new MigrationError(`${file}:${line}: ${identity} is not where the database looks for it`);
    if (now.signatures.length > 1)
      throw new MigrationError(
        `${file}:${line}: the database has ${now.signatures.join(' and ')}: a signature that changes gets a new name`,
      );
    return now.definition;
  });
  await client.query(
    `insert into internal.sql_objects (identity, checksum, definition, gone_since, applied_at)
     select identity, checksum, definition, null, clock_timestamp()
     from unnest($1::text[], $2::text[], $3::text[]) as made (identity, checksum, definition)
     on conflict (identity) do update set checksum = excluded.checksum, definition = excluded.definition,
       gone_since = null, applied_at = excluded.applied_at`,
    [statements.map(({ identity }) => identity), statements.map(({ checksum }) => checksum), definitions],
  );
}
