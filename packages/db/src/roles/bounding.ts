import { type BoundedRole, boundedRoles, closedFunctions, roleBounds, sessionDefaults } from './bounds.ts';
import { roleKinds, roleName } from './names.ts';

/**
 * The SQL that bounds the roles: connection limits, the settings of their sessions, the privilege that lets the service
 * end those that pass a bound, and which functions are closed. A statement that the session may not run is left out,
 * and doctor reports it.
 */
export const boundStatements = (prefix: string): string[] => [
  ...boundedRoles.flatMap((role) => limitStatements(roleName(prefix, role), role)),
  boundLogins(prefix),
  // To see what other sessions do, and to end those that pass their bounds.
  ...['pg_read_all_stats', 'pg_signal_backend'].map((right) => grantOnce(right, roleName(prefix, 'service'))),
  closeToPublic(roleName(prefix, 'owner'), roleName(prefix, 'service')),
];

/** The SQL that bounds one role or login, whose name is a plain identifier, as a role is bounded; changes nothing that is so already. */
export function limitStatements(name: string, role: BoundedRole): string[] {
  const { connections } = roleBounds[role];
  const set = (settings: Readonly<Record<string, string>>): string =>
    Object.entries(settings)
      .map(([setting, value]) => `    alter role "${name}" set ${setting} = '${value}';`)
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
  const files = fileLimit(role);
  return [
    unless(
      defaults,
      ` and r.rolconnlimit = ${connections}`,
      `    alter role "${name}" connection limit ${connections};\n${set(defaults)}`,
    ),
    unless(files, '', set(files)),
  ];
}

// Only a superuser may set it, and no session may lift it.
const fileLimit = (role: BoundedRole) => ({ temp_file_limit: `${roleBounds[role].temporaryFiles}GB` });

/**
 * SQL for the logins of people: which lack what of the bounds of the role that they are a member of, as `name`,
 * `setting` and `value`. A bound that an operator has set otherwise for one login is left, but not the absence of a
 * bound. `prefix` is SQL, too.
 */
export function looseLogins(prefix: string, more: (role: BoundedRole) => object = () => ({})): string {
  const wanted = boundedRoles.flatMap((role) => {
    const bounds = {
      'connection limit': roleBounds[role].connections,
      ...sessionDefaults(role),
      ...more(role),
    };
    return Object.entries(bounds).map(([setting, value]) => `('${role}', '${setting}', '${value}')`);
  });
  return `with kinds as (
    select r.oid, k.kind, k.place from unnest('{${roleKinds.join()}}'::text[]) with ordinality k (kind, place)
    join pg_roles r on r.rolname = ${prefix} || '_' || k.kind
  )
  select r.rolname as name, w.setting, w.value
  from pg_roles r
  cross join lateral (
    select k.kind from kinds k where pg_has_role(r.oid, k.oid, 'MEMBER') order by k.place limit 1) m
  join (values ${wanted.join(', ')}) w (kind, setting, value) on w.kind = m.kind
  where r.rolcanlogin and not r.rolsuper and r.oid not in (select k.oid from kinds k)
    and case w.setting when 'connection limit' then r.rolconnlimit < 0 else not exists (
      select from pg_db_role_setting s cross join unnest(s.setconfig) c where s.setrole = r.oid
        and s.setdatabase in (0, (select d.oid from pg_database d where d.datname = current_database()))
        and split_part(c, '=', 1) = w.setting and split_part(c, '=', 2) !~ '^(-1|0[a-z]*|off|)$') end`;
}

/** Members of a role do not inherit its settings. */
const boundLogins = (prefix: string): string => `do $$ declare l record; begin
  for l in ${looseLogins(`'${prefix}'`, fileLimit)} loop
    begin
      execute case l.setting when 'connection limit' then format('alter role %I connection limit %s', l.name, l.value)
        else format('alter role %I set %s = %L', l.name, l.setting, l.value) end;
    exception when insufficient_privilege then null;
    end;
  end loop;
end $$`;

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
