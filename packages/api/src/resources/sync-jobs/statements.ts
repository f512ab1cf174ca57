import { statement } from '@comanda/db';

// Not Prisma: a chunk is written by a few statements over whole sets, many times faster than row by row. Products and
// stock come as one array a column, which Postgres reads faster than JSON. Only what really differs is touched, so that
// nothing unchanged is captured.

/** Where a job stands. */
export interface JobState {
  mode: 'upsert' | 'create' | 'update';
  status: 'queued' | 'processing' | 'completed' | 'failed';
  total_items: number;
  processed_items: number;
  success_items: number;
  failed_items: number;
  request_id: string | null;
}

/**
 * $1 location, $2 job. Begins a queued job and reads any. That does not wait for the disk: should a crash of the server
 * forget it, the job is queued still.
 */
export const beginJob = statement<JobState & { items: unknown }>(
  'begin_sync_job',
  `with begun as (
     update sync_jobs set status = 'processing', started_at = now()
     where location_id = $1::uuid and id = $2::uuid and status = 'queued'
   )
   select mode, status, total_items, processed_items, success_items, failed_items, request_id, items,
     set_config('synchronous_commit', 'off', true)
   from sync_jobs where location_id = $1::uuid and id = $2::uuid`,
);

/** $1 location, $2 job. The row stays locked, so that whoever else applies this job waits for the outcome. */
export const lockJob = statement<JobState>(
  'lock_sync_job',
  `select mode, status, total_items, processed_items, success_items, failed_items, request_id
   from sync_jobs where location_id = $1::uuid and id = $2::uuid for update`,
);

// Rows that are named are looked up one by one, whatever the planner takes the location for: `limit 1` and locks keep a
// look-up from becoming a join, which could read all of the location (docs/decisions/0020).

/** $1 location, $2 external ids. Locked in one order, so that jobs that name the same products never deadlock. */
export const lockProducts = statement<{ id: string; external_id: string; sku: string }>(
  'lock_products_by_external_id',
  `select p.* from (select * from unnest($2::text[]) as n (external_id) order by 1) v
   cross join lateral (
     select id, external_id, sku from products where location_id = $1::uuid and external_id = v.external_id
     for no key update) p`,
);

/** $1 location, $2 skus. */
export const findSkuOwners = statement<{ id: string; sku: string }>(
  'find_sku_owners',
  `select p.* from unnest($2::text[]) as v (sku)
   cross join lateral (select id, sku from products where location_id = $1::uuid and sku = v.sku limit 1) p`,
);

/** $1 location, $2 external ids. */
export const lockCategories = statement<{ id: string; external_id: string }>(
  'lock_categories_by_external_id',
  `select c.* from (
     select k.id from unnest($2::text[]) as v (external_id) cross join lateral (
       select id from categories where location_id = $1::uuid and external_id = v.external_id limit 1) k order by k.id) v
   cross join lateral (
     select id, external_id from categories where location_id = $1::uuid and id = v.id for key share) c`,
);

const products = `unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::boolean[], $8::text[], $9::text[])
     as v (id, external_id, sku, name, price, visible, description, image_url)`;

/** $1 location, then the columns of `products`; what is null takes its default. */
export const insertProducts = statement(
  'insert_synced_products',
  `insert into products (location_id, id, external_id, sku, name, price, visible, description, image_url)
   select $1::uuid, v.id, v.external_id, coalesce(v.sku, v.id::text), v.name, v.price, coalesce(v.visible, true),
     coalesce(v.description, ''), coalesce(v.image_url, '')
   from ${products} order by v.external_id`,
);

/** $1 location, then the columns of `products`, which exist and are locked; what is null keeps its value. */
export const updateProducts = statement(
  'update_synced_products',
  `insert into products as p (location_id, id, external_id, sku, name, price, visible, description, image_url)
   select $1::uuid, v.id, v.external_id, coalesce(v.sku, o.sku), v.name, v.price, coalesce(v.visible, o.visible),
     coalesce(v.description, o.description), coalesce(v.image_url, o.image_url)
   from ${products} cross join lateral (
     select sku, visible, description, image_url from products where location_id = $1::uuid and id = v.id limit 1) o
   on conflict (location_id, id) do update
   set sku = excluded.sku, name = excluded.name, price = excluded.price, visible = excluded.visible,
     description = excluded.description, image_url = excluded.image_url
   where (p.sku, p.name, p.price, p.visible, p.description, p.image_url) is distinct from
     (excluded.sku, excluded.name, excluded.price, excluded.visible, excluded.description, excluded.image_url)`,
);

/** $1 location, $2 rows of product_id, category_ids. */
export const removeLinks = statement(
  'remove_synced_links',
  `delete from product_categories where ctid = any (array(
     select c.place from json_to_recordset($2::json) as v (product_id uuid, category_ids uuid[]) cross join lateral (
       select ctid as place, category_id from product_categories
       where location_id = $1::uuid and product_id = v.product_id offset 0) c
     where c.category_id <> all (v.category_ids)))`,
);

/** $1 location, $2 rows of product_id, category_ids. */
export const addLinks = statement(
  'add_synced_links',
  `insert into product_categories (location_id, product_id, category_id)
   select $1::uuid, v.product_id, unnest(v.category_ids)
   from json_to_recordset($2::json) as v (product_id uuid, category_ids uuid[])
   on conflict do nothing`,
);

/** $1 location, $2 products, $3 enabled, $4 quantities, $5 alarms; in the order that orders lock stock in. */
export const setStock = statement(
  'set_synced_stock',
  `insert into product_stock as s (location_id, product_id, enabled, quantity, min_stock_alarm)
   select $1::uuid, v.product_id, v.enabled, v.quantity, v.min_stock_alarm
   from unnest($2::uuid[], $3::boolean[], $4::numeric[], $5::numeric[])
     as v (product_id, enabled, quantity, min_stock_alarm) order by v.product_id
   on conflict (location_id, product_id) do update
   set enabled = excluded.enabled, quantity = excluded.quantity, min_stock_alarm = excluded.min_stock_alarm
   where (s.enabled, s.quantity, s.min_stock_alarm) is distinct from
     (excluded.enabled, excluded.quantity, excluded.min_stock_alarm)`,
);

/** $1 location, $2 job, $3 processed, $4 succeeded, $5 failed, $6 errors to append, $7 status, $8 error. */
export const recordProgress = statement(
  'record_sync_progress',
  `update sync_jobs set processed_items = $3, success_items = $4, failed_items = $5, errors = errors || $6::jsonb,
     status = $7::sync_job_status, error = $8::text,
     items = case when $7::text = 'processing' then items end,
     completed_at = case when $7::text = 'processing' then null else clock_timestamp() end
   where location_id = $1::uuid and id = $2::uuid`,
);

/** $1 location, $2 job, $3 sentence. Ends a job that is not over. */
export const failJob = statement(
  'fail_sync_job',
  `update sync_jobs set status = 'failed', error = $3, items = null, completed_at = clock_timestamp()
   where location_id = $1::uuid and id = $2::uuid and status in ('queued', 'processing')`,
);
