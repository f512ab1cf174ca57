import { statement } from '@comanda/db';

/** The input and the location that a code was made with. */
export interface CodeRow {
  location_id: string;
  name: string;
  screens: string[];
  key_hours: number;
  location_name: string;
  timezone: string;
  currency: string;
  code: string;
  sandbox: boolean;
}

/** The stored record of a code. */
export interface FoundCode {
  location_id: string;
  state: 'usable' | 'used' | 'expired';
}

/** $1 hash, $2 location, $3 name, $4 screens, $5 hours. Codes of more than a day ago go. */
export const insertCode = statement<never>(
  'insert_app_code',
  `with old as materialized (
     select code_hash from internal.app_codes where created_at < now() - interval '1 day'
     order by created_at limit 100 for update skip locked
   ), gone as (delete from internal.app_codes c using old where c.code_hash = old.code_hash)
   insert into internal.app_codes (code_hash, location_id, name, screens, key_hours)
   values ($1::bytea, $2::uuid, $3, $4::text[], $5::int)`,
);

/** $1 hash. Uses a code that can be used: of two at once, one gets the row. */
export const useCode = statement<CodeRow>(
  'use_app_code',
  `update internal.app_codes c set used_at = now() from locations l
   where c.code_hash = $1::bytea and c.used_at is null and c.created_at > now() - interval '10 minutes'
     and l.id = c.location_id and refuse_unless_active(l.id)
   returning c.location_id, c.name, c.screens, c.key_hours, l.name as location_name, l.timezone, l.currency, l.code, l.sandbox`,
);

/** $1 hashes. Of each code that there is: whose it is, and whether it can be used. One probe of the primary key a hash. */
export const findCodes = statement<FoundCode & { code_hash: Buffer }>(
  'find_app_codes',
  `select c.code_hash, c.location_id,
     case when c.used_at is not null then 'used' when c.created_at > now() - interval '10 minutes' then 'usable' else 'expired' end as state
   from unnest($1::bytea[]) as a (code_hash)
   cross join lateral (select * from internal.app_codes c where c.code_hash = a.code_hash limit 1) c`,
);
