import { statement } from '@comanda/db';

/** A session of a person or a tool, and what it has done. */
export interface HandSession {
  pid: number;
  /** When it began: with the pid it names one session. */
  started: string | null;
  role: 'admin' | 'reader';
  user: string;
  application: string;
  /** Which bound it has passed. */
  past: 'blocks' | 'locks' | 'ran' | 'idle' | 'open' | null;
  /** The advisory locks that it holds. */
  held: string[];
}

/** Whether this database has a session of another role than the service's own: for a tenth of what `lookAtHands` takes. */
export const lookForOthers = statement<{ found: boolean }>(
  'warden_look_for_others',
  `select exists (
     select from pg_stat_get_activity(null) a
     where a.datid = (select oid from pg_database where datname = current_database())
       and a.usesysid <> quote_ident(session_user)::regrole
   ) as found`,
);

/**
 * Every session of this database by a login role that is a member of admin or reader, and of none of owner and service. The
 * prefix of the roles is that of the session's own, else $1; $2 are the bounds, as JSON; $3 the seconds that a session of the
 * service waits for a lock; $4 the locks that a session holds at most. Locks are looked at only where there are such sessions.
 */
export const lookAtHands = statement<HandSession>(
  'warden_look',
  `with kinds as materialized (
     select r.oid, k.kind, k.place from unnest('{owner,service,admin,reader}'::text[]) with ordinality k (kind, place)
     join pg_roles r on r.rolname = coalesce(substring(session_user from '^(.+)_service$'), $1) || '_' || k.kind
   ), sessions as materialized (
     select * from pg_stat_activity a where a.datname = current_database() and a.usesysid is not null
   ), users as materialized (
     select r.oid, r.rolname, m.kind from pg_roles r cross join lateral (
       select k.kind from kinds k where pg_has_role(r.oid, k.oid, 'MEMBER') order by k.place limit 1) m
     where not r.rolsuper and r.oid in (select s.usesysid from sessions s)
   ), hands as materialized (
     select s.*, u.rolname, u.kind from users u join sessions s on s.usesysid = u.oid where u.kind in ('admin', 'reader')
   ), locks as materialized (
     select l.* from pg_locks l where exists (select from hands) and (not l.granted or l.pid in (select h.pid from hands h))
   ), waiting as materialized (
     select l.pid from locks l join sessions s on s.pid = l.pid join users u on u.oid = s.usesysid
     where u.kind = 'service' and not l.granted and l.waitstart < clock_timestamp() - make_interval(secs => $3)
   )
   select h.pid, h.backend_start::text as started, h.kind as role, h.rolname as user, h.application_name as application,
     l.held, case
       when h.pid in (select unnest(pg_blocking_pids(w.pid)) from waiting w) then 'blocks'
       when l.count > $4 then 'locks'
       when h.state not like 'idle%' and h.query_start < clock_timestamp() - make_interval(secs => b.statement) then 'ran'
       when h.state like 'idle in transaction%'
         and h.state_change < clock_timestamp() - make_interval(secs => b."idleInTransaction") then 'idle'
       when h.xact_start < clock_timestamp() - make_interval(secs => b.transaction) then 'open' end as past
   from hands h
   join json_to_recordset($2::json) b (role text, statement float8, "idleInTransaction" float8, transaction float8) on b.role = h.kind
   cross join lateral (
     select count(*), coalesce(array_agg(concat_ws(' ', l.classid, l.objid, l.objsubid)) filter (where l.locktype = 'advisory'), '{}') as held
     from locks l where l.pid = h.pid and l.granted) l`,
);

/** Ends a session, unless its pid is another's by now. */
export const endSession = statement<{ ended: boolean }>(
  'warden_end',
  `select pg_terminate_backend(a.pid) as ended from pg_stat_activity a
   where a.pid = $1 and a.backend_start is not distinct from $2::timestamptz`,
);
