-- What include=snapshot shows of a line. Orders before this have it of what was chosen alone.
ALTER TABLE order_items ADD COLUMN external_id text COLLATE "C", ADD COLUMN sku text COLLATE "C";
ALTER TABLE webhook_endpoints ADD COLUMN include text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD CONSTRAINT webhook_endpoints_include_check CHECK (include IN ('{}', '{snapshot}'));
