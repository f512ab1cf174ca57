-- The order in which everything that writes at a location takes its locks, so that no two ever wait for each other:
--
--   0. the idempotency key, of a call that came with one
--   1. the location's bulk writes: a chunk of a products job, a catalog or stock sync of more than one item. Single writes
--      do not take it
--   2. categories, then the published menu that shows them   3. products   4. stock records   5. options, after their subselections: each kind by id
--   6. links of products and categories: by product, then category
--   7. what is counted: an order's number, the hour's batch jobs. Last, right before the commit
--
-- Each takes what it needs and skips the rest: an order 4, 5 and 7; a change of a product 2, 3, 4 and 6; the deletion
-- of a product 3 to 6, of a category 2, 3 and 6. With a category that goes or gets another name go the products under
-- it, which show it. Two kinds of writes do not follow this order, and their deadlocks are repeated (races.ts): a wait
-- for a name that another transaction has just taken (a sku, an external_id), and hand edits.

-- To the end of the transaction no other bulk write of the location begins. A session that waits too long for it gives
-- up, as for any lock (lock_timeout).
CREATE FUNCTION hold_bulk_writes(p_location uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('bulk writes ' || p_location, 0))
$$;

-- How long a statement of a joined write waits for a lock: as `comanda.lock_wait` says where calls that have waited before
-- are written again (packages/api/src/capacity/joined-writes.ts), else a batch briefly.
CREATE FUNCTION lock_wait(alone boolean) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('comanda.lock_wait', true), ''), CASE WHEN alone THEN '2s' ELSE '250ms' END)
$$;
