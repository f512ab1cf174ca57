import type pg from 'pg';
import { closedFunctions } from '../../packages/db/src/roles/bounds.ts';

/** A call of a function, as SQL. */
export interface FunctionCall {
  name: string;
  sql: string;
}

/** Lifts every bound that a session may lift, and takes the name of the service. */
export const liftBounds = `select set_config(s.name, v.value, false) from pg_settings s join (values
  ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0'), ('lock_timeout', '0'),
  ('transaction_timeout', '0'), ('default_transaction_read_only', 'off'), ('application_name', 'comanda-worker')
) v (name, value) using (name)`;

const kinds: Readonly<Record<string, (location: string) => string>> = {
  uuid: (location) => `'${location}'::uuid`,
  'uuid[]': (location) => `array['${location}'::uuid]`,
  // The lock that every order of the location takes.
  bigint: (location) => `turn_lock('${location}')`,
  'double precision': () => '3600',
  interval: () => `interval '1 hour'`,
  'timestamp with time zone': () => `clock_timestamp() + interval '1 hour'`,
  boolean: () => 'true',
  regclass: () => `'public.orders'::regclass`,
  oid: () => `'public.orders'::regclass::oid`,
  name: () => `'orders'::name`,
  refcursor: () => `'c'::refcursor`,
};

/** The functions worse than their kind. */
const worse: Readonly<Record<string, (location: string) => string>> = {
  query_to_xml: (location) => `${lockAndSleep(location)}, true, true, ''`,
  query_to_xmlschema: (location) => `${lockAndSleep(location)}, true, true, ''`,
  query_to_xml_and_xmlschema: (location) => `${lockAndSleep(location)}, true, true, ''`,
  ts_stat: (location) => lockAndSleep(location),
};

const lockAndSleep = (location: string): string =>
  `'select pg_advisory_lock(turn_lock(''${location}'')), pg_sleep(3600)'`;

/** Types of which SQL has no value. */
const unspoken = /^(internal|trigger|event_trigger|cstring|any|.*_handler|.*range|.*multirange|record)$/;

/**
 * A call of every function of PostgreSQL and of the service that the session may call and that is VOLATILE, or takes
 * the number of a transaction, where `p` is as the condition says. Arguments are what does most harm at a location.
 */
export async function callsOfFunctions(
  session: pg.Client,
  location: string,
  condition: string,
): Promise<FunctionCall[]> {
  const { rows } = await session.query<{ name: string; schema: string; types: string[] }>(
    `select p.proname as name, p.pronamespace::regnamespace::text as schema,
       array(select t::regtype::text from unnest(p.proargtypes) with ordinality a (t, at) order by at) as types
     from pg_proc p where (p.provolatile = 'v' or p.proname in ('txid_current', 'pg_current_xact_id')) and p.prokind = 'f' and has_function_privilege(p.oid, 'EXECUTE')
       and p.pronamespace in ('pg_catalog'::regnamespace, 'public'::regnamespace)
       and p.prorettype::regtype::text !~ '^(internal|trigger|event_trigger|cstring|.*_handler)$'
       and ${condition} order by 2, 1, p.oid`,
  );
  return rows
    .filter(({ types }) => !types.some((type) => unspoken.test(type)))
    .map(({ name, schema, types }) => ({
      name: `${name}(${types.join(', ')})`,
      sql: `select * from ${schema}."${name}"(${worse[name]?.(location) ?? types.map((type) => argument(type, location)).join(', ')})`,
    }));
}

const argument = (type: string, location: string): string =>
  kinds[type]?.(location) ?? (/\[\]$/.test(type) ? `'{}'::${type}` : `'1'::${type}`);

/** Lets PUBLIC do what only a superuser takes from it, as in a database whose roles no superuser has set up, or takes it again. */
export const givenToPublic = (
  verb: 'grant' | 'revoke',
  preposition: 'to' | 'from',
) => `do $$ declare f record; begin
  for f in select p.oid::regprocedure as name from pg_proc p where ${closedFunctions}
  loop execute format('${verb} execute on function %s ${preposition} public', f.name); end loop;
end $$`;
