import { statement } from '@comanda/db';
import { pageStatement } from '../../call/page-text.ts';
import { defaultLimits } from '../../credentials/default-limits.ts';
import type { KeyLimits } from './schema.ts';

// Not Prisma: its transaction costs more than 1.5 ms of Node.

/** The limits of a key when nothing else is set for it, by the names on the wire. */
export const defaultKeyLimits: KeyLimits = {
  per_minute: defaultLimits.perMinute,
  monthly: defaultLimits.monthly,
  batch_jobs_per_hour: defaultLimits.batchJobsPerHour,
  max_items_per_batch: defaultLimits.maxItemsPerBatch,
};

/** A key as JSON text: its limits as they apply, its times in its location's zone, never its hash. */
export interface KeyText {
  doc: string;
}

const limits = Object.entries(defaultKeyLimits).map(([name, unlessSet]) => [
  name,
  `coalesce(r.${name}, ${unlessSet})`,
]);
const time = (name: string) => `coalesce(',"${name}":"' || wire_time(r.${name}, l.timezone) || '"', '')`;
const entry = `'{"id":"' || r.id || '","location_id":"' || r.location_id || '","name":' || to_json(r.name)::text
  || ',"prefix":' || to_json(r.prefix)::text || ',"permissions":' || to_json(r.permissions)::text
  || ',"event_types":"' || case when r.all_event_types then 'all' else 'by_permission' end || '"'
  || ${limits.map(([name, value]) => `',"${name}":' || ${value}`).join(' || ')}
  || ${['created_at', 'expires_at', 'revoked_at', 'last_used_at'].map(time).join(' || ')} || '}'`;
const joins = 'join locations l on l.id = r.location_id';

/** Oldest first; $1 location, $2 limit, $3 offset. */
export const listKeys = pageStatement({
  name: 'list_keys',
  table: 'api_keys',
  order: 'r.created_at, r.id',
  entry,
  joins,
});

/** Those of every location, or of one: $1. Oldest first. */
export const listKeysAt = statement<KeyText>(
  'list_keys_at',
  `select ${entry} as doc from api_keys r ${joins} where $1::uuid is null or r.location_id = $1::uuid
   order by r.created_at, r.id`,
);

/** $1 location, $2 name, $3 prefix, $4 hash, $5 permissions, $6 when it runs out, $7 to $10 limits. */
export const insertKey = statement<KeyText>(
  'insert_key',
  `with r as (
     insert into api_keys (location_id, name, prefix, key_hash, permissions, expires_at,
       per_minute, monthly, batch_jobs_per_hour, max_items_per_batch)
     values ($1::uuid, $2, $3, $4::bytea, $5::text[], $6::timestamptz, $7::int, $8::int, $9::int, $10::int) returning *
   )
   select ${entry} as doc from r ${joins}`,
);

/** $1 location, $2 id. Says whether it was not revoked before. */
export const revokeKey = statement<KeyText & { revoked: boolean }>(
  'revoke_key',
  `update api_keys r set revoked_at = coalesce(held.revoked_at, now())
   from (select * from api_keys where location_id = $1::uuid and id = $2::uuid for no key update) held, locations l
   where r.location_id = $1::uuid and r.id = $2::uuid and l.id = $1::uuid
   returning ${entry} as doc, held.revoked_at is null as revoked`,
);

/** $1 location, $2 id. Its name and its grants, held to the end of the transaction. */
export const holdKey = statement<
  KeyLimits & { name: string; permissions: string[]; expires_at: Date | null }
>(
  'hold_key',
  `select r.name, r.permissions, r.expires_at, ${limits.map(([name, value]) => `${value} as ${name}`).join(', ')}
   from api_keys r where r.location_id = $1::uuid and r.id = $2::uuid and r.revoked_at is null for share`,
);

/** A location, as far as it says what its keys are. */
export interface KeyLocation {
  id: string;
  code: string;
  sandbox: boolean;
}

/** $1 location. */
export const findLocation = statement<KeyLocation>(
  'find_location_of_keys',
  'select id, code, sandbox from locations where id = $1::uuid',
);

export const findOldestLocation = statement<KeyLocation>(
  'find_oldest_location',
  'select id, code, sandbox from locations order by created_at, id limit 1',
);

const here = `select ${entry} as doc from api_keys r ${joins} where r.location_id = $1::uuid and r.id = $2::uuid`;

/** $1 location, $2 id. */
export const readKeyHere = statement<KeyText>('read_key', here);

/** The same, held to the end of the transaction. */
export const holdKeyHere = statement<KeyText>('hold_key_here', `${here} for no key update of r`);

const any = `from api_keys r ${joins} where r.id = $1::uuid`;

/** $1 id, of any location. */
export const readKey = statement<KeyText>('read_any_key', `select ${entry} as doc ${any}`);

/** The same, held to the end of the transaction. */
export const holdAnyKey = statement<KeyText>(
  'hold_any_key',
  `select ${entry} as doc ${any} for no key update of r`,
);

/** $1 id, $2 name, $3 permissions, $4 when it runs out, $5 whether it never does, $6 to $9 limits, $10 whether it sees no more types than its permissions let it; null: stays as it is. */
export const updateKey = statement<KeyText>(
  'update_key',
  `update api_keys r set name = coalesce($2, r.name), permissions = coalesce($3::text[], r.permissions),
     expires_at = case when $5 then null else coalesce($4::timestamptz, r.expires_at) end,
     per_minute = coalesce($6::int, r.per_minute), monthly = coalesce($7::int, r.monthly),
     batch_jobs_per_hour = coalesce($8::int, r.batch_jobs_per_hour),
     max_items_per_batch = coalesce($9::int, r.max_items_per_batch),
     all_event_types = r.all_event_types and not coalesce($10::boolean, false)
   from locations l where l.id = r.location_id and r.id = $1::uuid returning ${entry} as doc`,
);

/** $1 the key that is copied, $2 prefix, $3 hash. */
export const copyKey = statement<KeyText>(
  'copy_key',
  `with r as (
     insert into api_keys (location_id, name, prefix, key_hash, permissions, all_event_types, expires_at,
       per_minute, monthly, batch_jobs_per_hour, max_items_per_batch)
     select location_id, name, $2, $3::bytea, permissions, all_event_types, expires_at,
       per_minute, monthly, batch_jobs_per_hour, max_items_per_batch from api_keys where id = $1::uuid returning *
   )
   select ${entry} as doc from r ${joins}`,
);

/** $1 id, $2 after how many hours it runs out, unless it does so before. */
export const endKey = statement<KeyText>(
  'end_key',
  `update api_keys r set expires_at = least(r.expires_at, now() + make_interval(hours => $2::int))
   from locations l where l.id = r.location_id and r.id = $1::uuid returning ${entry} as doc`,
);
