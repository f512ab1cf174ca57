import { statement } from '@comanda/db';

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
