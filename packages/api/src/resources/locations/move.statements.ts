import { statement } from '@comanda/db';

/** The next step of a move. */
export type MoveStep =
  | 'copy'
  | 'load'
  | 'follow'
  | 'drain'
  | 'export'
  | 'import'
  | 'map'
  | 'enable'
  | 'done'
  | 'abort';

/** A move as the database that is left knows it. */
export interface MoveRow {
  /** Where it goes. */
  cell: string;
  folder: string;
  step: MoveStep;
  /** As the manifest of the export says it. */
  exportedAt: string | null;
  /** How long each step took, that was done. */
  seconds: Record<string, number>;
  /** For how long writes are refused. */
  refused: number;
}

/** $1 name. One command at a time, for as long as its connection lives. */
export const lockMove = statement<{ taken: boolean }>(
  'move_lock',
  `select pg_try_advisory_lock(hashtextextended($1, 0)) as taken`,
);

/** $1 name. */
export const unlockMove = statement('move_unlock', `select pg_advisory_unlock(hashtextextended($1, 0))`);

/** $1 location. */
export const findMove = statement<MoveRow>(
  'find_move',
  `select cell, folder, step, exported_at as "exportedAt", seconds,
     extract(epoch from clock_timestamp() - coalesce(refused_at, created_at))::float8 as refused
   from internal.location_moves where id = $1::uuid and step <> 'arriving'`,
);

/** $1 location, $2 cell, $3 folder. */
export const insertMove = statement(
  'begin_move',
  `insert into internal.location_moves (id, cell, folder, step) values ($1::uuid, $2, $3, 'copy')`,
);

/** $1 location, $2 what was done, $3 what comes next, $4 how long it took, as JSON, $5 when it was exported. */
export const advanceMove = statement<{ step: MoveStep }>(
  'move_advance',
  `update internal.location_moves set step = $3, seconds = seconds || $4::jsonb,
     exported_at = coalesce($5, exported_at), step_at = now()
   where id = $1::uuid and step = $2 returning step`,
);

/** $1 location. Writes are refused from now on. */
export const noteRefused = statement(
  'move_note_refused',
  'update internal.location_moves set refused_at = clock_timestamp() where id = $1::uuid',
);

/** $1 location. The copy may be enabled, or deleted. */
export const removeArrival = statement(
  'move_remove_arrival',
  `delete from internal.location_moves where id = $1::uuid and step = 'arriving'`,
);

/** $1 location. */
export const removeMove = statement('move_remove', 'delete from internal.location_moves where id = $1::uuid');

/** $1 location. Held until the transaction ends. */
export const holdLocation = statement<{ name: string; code: string; status: string }>(
  'move_hold_location',
  'select name, code, status from locations where id = $1::uuid for no key update',
);

/** $1 location, $2 status. */
export const setStatus = statement(
  'move_set_status',
  'update locations set status = $2::location_status where id = $1::uuid',
);

/** $1 location, $2 when it was exported. The copy that this export became, and no other. */
export const findCopy = statement<{ name: string; status: string }>(
  'move_find_copy',
  `select l.name, l.status from locations l where l.id = $1::uuid and exists (select from audit_entries a
     where a.location_id = l.id and a.operation = 'locations.import' and a.changes->'after'->>'exported_at' = $2)`,
);

/** The version that an edit by hand or from the command line increments. */
export interface Standing {
  events: string;
  entries: number;
  /** Whether there is what was not published yet. */
  captured: boolean;
}

/** $1 location, $2 when it was exported. The move's own entries do not count. */
export const standing = statement<Standing>(
  'move_standing',
  `select coalesce((select e.number from events e where e.location_id = $1::uuid order by e.number desc limit 1), 0)::text as events,
     (select count(*) from audit_entries a where a.location_id = $1::uuid and a.created_at >= $2::timestamptz - interval '1 day'
       and a.operation not in ('locations.import', 'locations.enable', 'locations.disable', 'locations.move'))::int as entries,
     exists (select from internal.captured_changes c where c.location_id = $1::uuid and c.failures < 10) as captured`,
);

/** $1 location. Keys that do not say where they belong. */
export const keysWithoutCode = statement<{ count: number }>(
  'move_keys_without_code',
  `select count(*)::int as count from api_keys k join locations l on l.id = k.location_id where k.location_id = $1::uuid
     and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and strpos(k.prefix, l.code || '_') = 0`,
);
