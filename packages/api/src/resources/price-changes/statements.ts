import { statement } from '@comanda/db';
import { pageStatement } from '../../call/page-text.ts';

// `limit 1` keeps the look-up from becoming a join (docs/design/database.md, "Plans").
const joins = 'cross join lateral (select k.timezone from locations k where k.id = r.location_id limit 1) l';
const entry = (prices = '') =>
  `'{"id":"' || r.id || '","status":"' || r.status || '","effective_at":"' || wire_time(r.effective_at, l.timezone) || '"'
  || coalesce(',"category_id":"' || r.category_id || '"', '') || coalesce(',"percent":' || trim_scale(r.percent), '')
  || ',"total_prices":' || r.total_prices || ',"applied_prices":' || r.applied_prices || ',"skipped_prices":' || r.skipped_prices
  ${prices} || ',"created_at":"' || wire_time(r.created_at, l.timezone) || '"'
  || coalesce(',"ended_at":"' || wire_time(r.ended_at, l.timezone) || '"', '') || '}'`;
const whole = entry(`|| ',"prices":' || r.prices::text`);

/** $1 location, $2 limit, $3 offset. */
export const listPriceChanges = pageStatement({
  name: 'list_price_changes',
  table: 'price_changes',
  // Ids rise with time, and the key is the one index: a look-up by id takes no other.
  order: 'r.id desc',
  // In order, so by the key: where statistics know one location alone, a count would read the rows of all.
  total:
    '(select count(*) from (select from price_changes r where r.location_id = $1::uuid order by r.id) r)',
  entry: entry(),
  joins,
});

/** $1 location, $2 id. */
export const readPriceChange = statement<{ doc: string }>(
  'read_price_change',
  `select ${whole} as doc from price_changes r ${joins} where r.location_id = $1::uuid and r.id = $2::uuid`,
);

/**
 * $1 location, $2 id, $3 effective at, $4 category, $5 percent, $6 prices, $7 how many, $8 request, $9 key. Its creation is after the reading of
 * the prices: who changed one before that did so before the planning.
 */
export const insertPriceChange = statement<{ doc: string }>(
  'insert_price_change',
  `with r as (
     insert into price_changes (location_id, id, effective_at, category_id, percent, prices, total_prices, request_id, api_key_id, created_at)
     values ($1::uuid, $2::uuid, $3::timestamptz, $4::uuid, $5::numeric, $6::jsonb, $7, $8, $9::uuid,
       date_trunc('milliseconds', clock_timestamp()))
     returning *
   )
   select ${whole} as doc from r ${joins}`,
);

/** $1 location, $2 id. No row where it is not planned. */
export const cancelPriceChange = statement<{ doc: string }>(
  'cancel_price_change',
  `update price_changes r set status = 'canceled', ended_at = clock_timestamp(),
     prices = (select coalesce(jsonb_agg(e || '{"status":"canceled"}' order by at), '[]')
       from jsonb_array_elements(r.prices) with ordinality p (e, at))
   from locations l
   where l.id = $1::uuid and r.location_id = $1::uuid and r.id = $2::uuid and r.status = 'planned'
   returning ${whole} as doc`,
);

/** The outcome of a price change that was applied. */
export interface AppliedPriceChange {
  status: 'applied' | 'skipped';
  applied: number;
  skipped: number;
}

/** $1 location, $2 id, $3 the largest price. */
export const applyPlanned = statement<AppliedPriceChange>(
  'apply_price_change',
  'select * from apply_price_change($1::uuid, $2::uuid, $3::numeric)',
);

/** Those that are due for 2 seconds and that no job of the queue is to apply. */
export const forsakenPriceChanges = statement<{ locationId: string; priceChangeId: string }>(
  'sweep_forsaken_price_changes',
  `select r.location_id as "locationId", r.id as "priceChangeId" from price_changes r
   join locations l on l.id = r.location_id and l.status = 'active'
   where r.status = 'planned' and r.effective_at <= now() - interval '2 seconds'
     and not exists (select from graphile_worker._private_jobs j
       where j.key = 'apply-price-change:' || r.id and (j.locked_at is not null or j.attempts < j.max_attempts))
   order by r.effective_at limit 1000`,
);
