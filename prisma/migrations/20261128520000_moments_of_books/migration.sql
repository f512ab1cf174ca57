-- The moments from which on a settlement, and the turn of a payment that waited for one, are shown: readers of changes with
-- include=books look for them. A settlement of before has been shown since it was made. What waited before is not known.
ALTER TABLE settlements ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now();
ALTER TABLE settlements ALTER COLUMN updated_at TYPE timestamptz(3) USING created_at;
CREATE INDEX settlements_location_id_updated_at_idx ON settlements (location_id, updated_at);
ALTER TABLE settlement_entries ADD COLUMN placed_at timestamptz(3);
