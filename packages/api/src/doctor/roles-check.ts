import { boundedRoles, looseLogins, roleBounds, sessionDefaults, statement } from '@comanda/db';
import { type Check, ok, warning } from './check.ts';

/** Whether sessions of the roles admin and reader are bounded, and whether the worker may end them. */
export const sessionsOfPeople: Check = {
  name: 'sessions of people',
  means:
    'Statements of admins and readers end in time, under any setting of their sessions: the worker may end them.',
  advice:
    'Run comanda db roles --apply once more, as a superuser, or as a role that may grant pg_signal_backend and pg_read_all_stats. Where that is not at hand: grant pg_signal_backend, pg_read_all_stats to <role of the service>.',
  async run({ settings, database }) {
    const wanted = boundedRoles.map((kind) => ({
      kind,
      connections: roleBounds[kind].connections,
      settings: Object.entries(sessionDefaults(kind)).map((pair) => pair.join('=')),
    }));
    const [row] = await database.run(boundsOfRoles, [settings.databaseRolePrefix, JSON.stringify(wanted)]);
    if (row === undefined || row.owns) return ok('one role does everything: there are no others to bound');
    if (row.absent !== null) return warning(`there is no role ${row.absent}: see DATABASE_ROLE_PREFIX`);
    const lacks = [
      row.lacks !== null && `${row.name} lacks ${row.lacks}`,
      row.unbounded !== null && `without their limits and defaults: ${row.unbounded}`,
      row.loose !== null && `logins of people without some of them: ${row.loose}`,
    ].filter((part) => part !== false);
    return lacks.length === 0 ? ok('bounded, and ended where they pass a bound') : warning(lacks.join('; '));
  },
};

const boundsOfRoles = statement<{
  name: string;
  owns: boolean;
  absent: string | null;
  lacks: string | null;
  unbounded: string | null;
  loose: string | null;
}>(
  'doctor_bounds_of_roles',
  `with wanted as (
     select w.*, coalesce(substring(session_user from '^(.+)_service$'), $1) || '_' || w.kind as name
     from json_to_recordset($2::json) w (kind text, connections int, settings text[])
   )
   select session_user as name, has_table_privilege('public.events', 'TRUNCATE') as owns,
     (select string_agg(w.name, ', ') from wanted w where to_regrole(w.name) is null) as absent,
     (select string_agg(n.name, ', ') from unnest('{pg_signal_backend,pg_read_all_stats}'::text[]) n (name)
      where not pg_has_role(n.name, 'USAGE')) as lacks,
     (select string_agg(w.name, ', ') from wanted w join pg_roles r on r.rolname = w.name
      where r.rolconnlimit <> w.connections or not exists (
        select from pg_db_role_setting s where s.setrole = r.oid and s.setdatabase = 0 and s.setconfig @> w.settings)) as unbounded,
     (select string_agg(distinct l.name, ', ') from (${looseLogins(`coalesce(substring(session_user from '^(.+)_service$'), $1)`)}) l) as loose`,
);
