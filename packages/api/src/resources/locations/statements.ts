import { statement } from '@comanda/db';
import type { AuditChanges } from '../../call/audit.ts';
import type { Revised } from '../../call/tags.ts';
import type { LocationCreate } from './schema.ts';

// Not Prisma: its transaction costs 4 ms of Node.

/** A location as JSON text, its times in its own zone. */
export interface LocationText extends Revised {
  id: string;
  doc: string;
}

const entry = "r.id, shown_revision(r) as revision, location_members(r) || '}' as doc";
const coded = (row: string) => `location_members(${row}) || ',"code":"' || ${row}.code || '"'`;
const made = (row: string) => `${row}.id, shown_revision(${row}) as revision, ${coded(row)} || '}' as doc`;
const state = `r.id, shown_revision(r) as revision, ${coded('r')} || ',"status":"' || r.status || '"}' as doc`;

/** $1 id. */
export const readLocation = statement<LocationText>(
  'read_location',
  `select ${entry} from locations r where r.id = $1::uuid`,
);

/** $1 id. With its hours, and whether it is open now. */
export const readLocationWithHours = statement<LocationText>(
  'read_location_with_hours',
  `select r.id, shown_revision(r) as revision, location_members(r) || coalesce(',"opening_hours":' || r.opening_hours::text
     || ',"open_now":' || is_open(r.opening_hours, r.timezone, now())::text, '') || '}' as doc
   from locations r where r.id = $1::uuid`,
);

/** $1 id. With its status, which no key sees, and its code. */
export const showLocation = statement<LocationText>(
  'show_location',
  `select ${state} from locations r where r.id = $1::uuid`,
);

/** Every location, oldest first, each with its code and status. */
export const listLocations = statement<LocationText>(
  'list_locations',
  `select ${state} from locations r order by r.created_at, r.id`,
);

/** $1 id, $2 name, $3 time zone, $4 currency, $5 whether it is a sandbox. With one enabled payment method, "Cash". */
export const insertLocation = statement<LocationText>(
  'insert_location',
  `with r as (
     insert into locations as l (id, name, timezone, currency, sandbox) values ($1::uuid, $2, $3, $4, $5) returning ${made('l')}
   ), cash as (
     insert into payment_methods (location_id, name, type) select id, 'Cash', 'cash' from r
   )
   select * from r`,
);

const fields = (row: string) =>
  `json_build_object('name', ${row}.name, 'timezone', ${row}.timezone, 'currency', ${row}.currency,
    'status', ${row}.status, 'opening_hours', ${row}.opening_hours)`;

/** $1 id, $2 the fields that are given as JSON. Held, so that two changes never take each other's values for the old ones. */
export const updateLocation = statement<
  LocationText & Record<'before' | 'after', Omit<LocationCreate, 'sandbox'>>
>(
  'update_location',
  `update locations r set (name, timezone, currency, status, opening_hours) = (
     select f.name, f.timezone, f.currency, f.status, f.opening_hours from jsonb_populate_record(r, $2::jsonb) f)
   from (select * from locations where id = $1::uuid for no key update) held
   where r.id = $1::uuid returning ${fields('held')} as before, ${fields('r')} as after, ${made('r')}`,
);

const pause = (row: string) =>
  `json_build_object('paused', ${row}.paused, 'until', ${row}.paused_until, 'reason', ${row}.pause_reason)`;

/** $1 id, $2 whether it is paused, $3 until when, $4 why. No row where the end has passed. */
export const pauseLocation = statement<LocationText & AuditChanges>(
  'pause_location',
  `update locations r set paused = $2, paused_until = $3::timestamptz, pause_reason = $4
   from (select * from locations where id = $1::uuid for no key update) held
   where r.id = $1::uuid and coalesce($3::timestamptz > now(), true)
   returning ${pause('held')} as before, ${pause('r')} as after, ${entry}`,
);

/** $1 code, $2 id, $3 cell. */
export const rememberMoved = statement<never>(
  'remember_moved_location',
  `insert into internal.moved_locations (code, location_id, cell) values ($1, $2::uuid, $3)
   on conflict (code) do update set cell = excluded.cell, moved_at = now()`,
);

/** $1 code. */
export const forgetMoved = statement<never>(
  'forget_moved_location',
  'delete from internal.moved_locations where code = $1',
);
