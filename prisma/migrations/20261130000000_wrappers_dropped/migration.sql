-- What 0.1.0 kept for processes before it. Names without arguments: each of these was the only function of its name.
DROP FUNCTION IF EXISTS place_order;
DROP FUNCTION IF EXISTS move_order;
DROP FUNCTION IF EXISTS move_payment;
DROP FUNCTION IF EXISTS offered_product;
DROP FUNCTION IF EXISTS take_deed_setting;
DROP SEQUENCE internal.deed_settings;

-- Jobs of the queue that no worker takes any more. The sweeper queues the locations of their sync jobs. The queue has its own
-- migrations, which follow these in a new database.
DO $$
BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NOT NULL THEN
    DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
    WHERE t.id = j.task_id AND t.identifier = 'sync-products';
  END IF;
END $$;
