import { boundStatements } from './bounding.ts';
import { roleKinds, roleName } from './names.ts';

/**
 * The SQL that makes the roles and transfers the database to the owner, for a session that may make roles and may grant
 * on the database: no superuser is needed. Runs before tables and before a restore as well as after them, and may be
 * run again: then it makes what is missing, and transfers to the owner the objects of any other role. Roles are made
 * without LOGIN and without a password.
 */
export function setupStatements(prefix: string): string[] {
  const owner = roleName(prefix, 'owner');
  return [
    ...roleKinds.map(
      (kind) => `do $$ begin
  if to_regrole('${roleName(prefix, kind)}') is null then create role ${roleName(prefix, kind)} nologin; end if;
end $$`,
    ),
    // A session that transfers tables must be a member of both roles.
    `do $$ begin
  if not pg_has_role(current_user, '${owner}', 'MEMBER') or not pg_has_role(current_user, '${owner}', 'USAGE') then
    execute format('grant ${owner} to %I', current_user);
  end if;
end $$`,
    `do $$ begin
  execute format('grant create, connect, temporary on database %I to ${owner}', current_database());
  execute format('grant connect on database %I to ${roleKinds
    .slice(1)
    .map((kind) => roleName(prefix, kind))
    .join(', ')}', current_database());
  -- In a temporary schema an admin could make a trigger, and what a trigger writes passes guards as a cascade does. A reader
  -- could fill the disk with a temporary table.
  execute format('revoke temporary on database %I from public, ${roleName(prefix, 'reader')}', current_database());
end $$`,
    ...boundStatements(prefix),
    `grant usage, create on schema public to ${owner}`,
    'revoke create on schema public from public',
    handOver(owner),
  ];
}

const handOver = (owner: string): string => `do $$ declare o record; begin
  for o in
    select 'schema' as kind, n.oid::regnamespace::text as name from pg_namespace n
      where n.nspname in ('internal', 'graphile_worker') and n.nspowner <> '${owner}'::regrole
    union all
    select case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, c.oid::regclass::text from pg_class c
      where c.relnamespace in (to_regnamespace('public'), to_regnamespace('internal'), to_regnamespace('graphile_worker'))
        and c.relkind in ('r', 'v', 'S') and c.relowner <> '${owner}'::regrole
        and not exists (select from pg_depend d where d.objid = c.oid and (d.deptype in ('a', 'i') and c.relkind = 'S' or d.deptype = 'e'))
    union all
    select 'routine', p.oid::regprocedure::text from pg_proc p
      where p.pronamespace in (to_regnamespace('public'), to_regnamespace('graphile_worker')) and p.proowner <> '${owner}'::regrole
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select 'type', t.oid::regtype::text from pg_type t
      where t.typnamespace in (to_regnamespace('public'), to_regnamespace('graphile_worker')) and t.typowner <> '${owner}'::regrole
        and (t.typtype = 'e' or t.typtype = 'c' and (select c.relkind from pg_class c where c.oid = t.typrelid) = 'c')
        and not exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e')
  loop execute format('alter %s %s owner to ${owner}', o.kind, o.name); end loop;
end $$`;
