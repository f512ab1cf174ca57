-- A move copies a location before it refuses writes there; `arriving` is the row of the cell that the copy comes to. Processes of the
-- release before begin at the default.
ALTER TABLE internal.location_moves ADD COLUMN refused_at timestamptz(3),
  DROP CONSTRAINT location_moves_step_check,
  ADD CONSTRAINT location_moves_step_check CHECK (step IN ('copy', 'load', 'follow', 'drain', 'export', 'import', 'map', 'enable', 'done', 'abort', 'arriving'));
