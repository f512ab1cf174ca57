import { type BoundedRole, boundedRoles, closedFunctions, roleBounds, sessionDefaults } from './bounds.ts';
import { roleName } from './names.ts';

/**
 * The SQL that bounds the roles: connection limits, what their sessions begin with, what the service needs to end those that
 * pass a bound, and which functions are closed. Whatever the session may not do is left out, and doctor reports it.
 */
export const boundStatements = (prefix: string): string[] => [
  ...boundedRoles.flatMap((role) => limits(roleName(prefix, role), role)),
  // To see what other sessions do, and to end those that pass their bounds.
  ...['pg_read_all_stats', 'pg_signal_backend'].map((right) => grantOnce(right, roleName(prefix, 'service'))),
  closeToPublic(roleName(prefix, 'owner'), roleName(prefix, 'service')),
];

function limits(name: string, role: BoundedRole): string[] {
  const { connections, temporaryFiles } = roleBounds[role];
  const set = (settings: Readonly<Record<string, string>>): string =>
    Object.entries(settings)
      .map(([setting, value]) => `    alter role ${name} set ${setting} = '${value}';`)
      .join('\n');
  const unless = (
    wanted: Readonly<Record<string, string>>,
    limit: string,
    work: string,
  ): string => `do $$ begin
  if not exists (select from pg_roles r join pg_db_role_setting s on s.setrole = r.oid and s.setdatabase = 0
      where r.rolname = '${name}'${limit}
        and s.setconfig @> '{${Object.entries(wanted).map((pair) => pair.join('='))}}') then
${work}
  end if;
exception when insufficient_privilege then null;
end $$`;
  const defaults = sessionDefaults(role);
  // Only a superuser may set it, and no session may lift it.
  const files = { temp_file_limit: `${temporaryFiles}GB` };
  return [
    unless(
      defaults,
      ` and r.rolconnlimit = ${connections}`,
      `    alter role ${name} connection limit ${connections};\n${set(defaults)}`,
    ),
    unless(files, '', set(files)),
  ];
}

const grantOnce = (right: string, role: string): string => `do $$ begin
  if not pg_has_role('${role}', '${right}', 'MEMBER') then grant ${right} to ${role}; end if;
exception when insufficient_privilege then null;
end $$`;

/**
 * The owner is granted all of them: a dump of the database has these grants, and a restore by a role without any right to a
 * function would end there.
 */
const closeToPublic = (owner: string, service: string): string => `do $$ declare f record; begin
  if not (select r.rolsuper from pg_roles r where r.rolname = current_user) then return; end if;
  for f in select p.oid::regprocedure as name from pg_proc p
    where ${closedFunctions}
      and (has_function_privilege('public', p.oid, 'EXECUTE') or not has_function_privilege('${owner}', p.oid, 'EXECUTE')
        or not has_function_privilege('${service}', p.oid, 'EXECUTE'))
  loop
    execute format('revoke execute on function %s from public', f.name);
    execute format('grant execute on function %s to ${owner}, ${service}', f.name);
  end loop;
end $$`;
