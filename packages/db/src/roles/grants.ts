import { type Privilege, type RoleKind, type TableAccess, tableAccess, viewsForPeople } from './access.ts';
import { roleName } from './names.ts';

/** A privilege of a role on the rows of a table, or on one column of it. */
export interface TableGrant {
  role: string;
  table: string;
  privilege: string;
  column: string | null;
}

/** All that the roles may do with rows. */
export function tableGrants(prefix: string): TableGrant[] {
  const views: TableAccess[] = viewsForPeople.map((view) => ({
    table: view,
    service: [],
    admin: ['select'],
    edited: [],
    guarded: [],
    reader: ['select'],
  }));
  return [...tableAccess, ...views].flatMap((row) => {
    const table = row.table.includes('.') ? row.table : `public.${row.table}`;
    const give = (
      kind: RoleKind,
      privilege: Privilege,
      columns: readonly string[] | readonly [null] = [null],
    ): TableGrant[] => columns.map((column) => ({ role: roleName(prefix, kind), table, privilege, column }));
    const people = (kind: 'admin' | 'reader') =>
      row[kind].flatMap((privilege) => give(kind, privilege, privilege === 'select' ? row.seen : undefined));
    return [
      ...row.service.flatMap((privilege) => give('service', privilege)),
      ...people('admin'),
      ...give('admin', 'update', [...row.edited, ...row.guarded]),
      ...people('reader'),
    ];
  });
}

/** The roles' settings of that kind in a database; `$1` the roles. */
export const presentGrants = `
  with own as (select c.* from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'internal') and c.relkind in ('r', 'v'))
  select r.rolname as role, n.nspname || '.' || given.relname as "table", lower(a.privilege_type) as privilege, given.attname as "column"
  from (select relnamespace, relname, null as attname, relacl as acl from own
    union all select c.relnamespace, c.relname, t.attname, t.attacl from own c join pg_attribute t on t.attrelid = c.oid) given
  cross join lateral aclexplode(given.acl) a join pg_roles r on r.oid = a.grantee
  join pg_namespace n on n.oid = given.relnamespace
  where r.rolname = any ($1)`;

/** The SQL that gives, or takes, such privileges: a statement for each role and table. */
export function grantSql(verb: 'grant' | 'revoke', grants: readonly TableGrant[]): string[] {
  const statements = new Map<string, string[]>();
  for (const { role, table, privilege, column } of grants) {
    const place = `on ${table} ${verb === 'grant' ? 'to' : 'from'} ${role}`;
    const said = column === null ? privilege : `${privilege} (${column})`;
    statements.set(place, [...(statements.get(place) ?? []), said]);
  }
  return [...statements].map(([place, said]) => `${verb} ${said.join(', ')} ${place}`);
}

/**
 * A function that runs as the owner is closed to every other role, which may neither call it nor put it on a table of
 * its own.
 */
export const closeFunctions = `do $$ declare f record; begin
  for f in select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and has_function_privilege('public', p.oid, 'EXECUTE')
  loop execute format('revoke execute on routine %s from public', f.name); end loop;
end $$`;

/** Grants in addition to those on rows, to be run as often as one likes: it changes nothing that is as it should be. */
export function otherGrants(prefix: string): string[] {
  const [service, admin, reader] = [
    roleName(prefix, 'service'),
    roleName(prefix, 'admin'),
    roleName(prefix, 'reader'),
  ];
  return [
    `do $$ declare s record; f record; begin
  for s in select * from (values ('public', '${service}'), ('public', '${admin}'), ('public', '${reader}'),
    ('internal', '${service}')) v (schema, role) where not has_schema_privilege(v.role, v.schema, 'USAGE')
  loop execute format('grant usage on schema %I to %I', s.schema, s.role); end loop;
  for s in select c.oid::regclass as name from pg_class c
    where c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace)
      and case c.relkind when 'S' then not has_sequence_privilege('${service}', c.oid, 'USAGE') end
  loop execute format('grant usage on sequence %s to ${service}', s.name); end loop;
  for f in select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype
      and not has_function_privilege('${service}', p.oid, 'EXECUTE')
  loop execute format('grant execute on routine %s to ${service}', f.name); end loop;
  -- A condition of a trigger is asked with the rights of the session: what only answers is an admin's, too (guarding.sql).
  for f in select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prorettype = 'boolean'::regtype and p.provolatile <> 'v'
      and not has_function_privilege('${admin}', p.oid, 'EXECUTE')
  loop execute format('grant execute on routine %s to ${admin}', f.name); end loop;
end $$`,
    // Row security without a policy, as the queue has it, shows rows to the owner alone.
    `do $$ declare t record; begin
  if to_regnamespace('graphile_worker') is null then return; end if;
  if not has_schema_privilege('${service}', 'graphile_worker', 'USAGE') then
    grant usage on schema graphile_worker to ${service};
  end if;
  for t in select c.oid::regclass as name, c.relkind = 'S' as is_sequence, c.relrowsecurity
      and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = '${service}') as is_hidden,
      case c.relkind when 'S' then not has_sequence_privilege('${service}', c.oid, 'USAGE')
        else not has_table_privilege('${service}', c.oid, 'DELETE') end as is_closed
    from pg_class c where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind in ('r', 'v', 'S')
  loop
    if t.is_closed and t.is_sequence then execute format('grant usage on sequence %s to ${service}', t.name);
    elsif t.is_closed then execute format('grant select, insert, update, delete on %s to ${service}', t.name); end if;
    if t.is_hidden then
      execute format('create policy %I on %s to ${service} using (true) with check (true)', '${service}', t.name);
    end if;
  end loop;
end $$`,
  ];
}
