/**
 * The settings on which the reading and writing of values depends, each with its value in every session of the service. A
 * server, a database or a role may set them otherwise (`alter database … set datestyle`): the driver then reads no dates, or
 * a statement means something else. All of them may be set by any role. `ops/pgbouncer/limits.sql` has the same.
 */
export const sessionSettings = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  search_path: 'public',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  gin_fuzzy_search_limit: '0',
} as const;

/** As startup options of a connection, behind those that its URL or `PGOPTIONS` give: the last of a name is used. */
export function startupOptions(given = process.env.PGOPTIONS ?? ''): string {
  const own = Object.entries(sessionSettings).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`,
  );
  return [given, ...own].join(' ').trim();
}

const assignments = Object.entries(sessionSettings);

/** The statement that sets them for a session whose pooler refuses startup options. */
export const setSessionSettings = `select ${assignments.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(', ')}`;

/** The same as statements for one transaction. */
export const setLocally = assignments.map(([name, value]) =>
  name === 'search_path' ? `set local ${name} = ${value}` : `set local ${name} = '${value}'`,
);

/**
 * SQL of the names, joined by commas, that a session would have otherwise without the statement above: a pooler gives each
 * transaction another session. The order of day and month does not matter with ISO, nor does a schema of the user, whose
 * name begins none here. Every pooler keeps `TimeZone` for its client.
 */
export const unlikeSettings = `(select string_agg(name, ', ' order by name) from pg_settings s
    join (values ${assignments.map(([name, value]) => `('${name}', '${value}')`).join(', ')}) w (wanted, value) on lower(w.wanted) = lower(s.name)
    where s.reset_val is distinct from w.value and s.name <> 'TimeZone' and not (s.name = 'DateStyle' and s.reset_val like 'ISO, %')
      and not (s.name = 'search_path' and s.reset_val = '"$user", public'))`;

/**
 * SQL of why nothing may be served with the settings of a session, or null: a sentence. On a standby every transaction is
 * read-only for another reason, which ends with its promotion.
 */
export const refusedSettings = `select case
    when current_setting('session_replication_role') = 'replica'
      then 'session_replication_role is replica for this session, so no trigger would record a change: reset it (alter role … reset session_replication_role)'
    when current_setting('default_transaction_read_only')::boolean and not pg_is_in_recovery()
      then 'default_transaction_read_only is on for this server, database or role, so nothing can be written: reset it (alter database … reset default_transaction_read_only), or connect to the primary'
  end as refusal`;
