-- Keys that are there see every event type, keys that are made from now on those of their permissions. Constant defaults: no row is written.
ALTER TABLE api_keys ADD COLUMN all_event_types boolean NOT NULL DEFAULT true;
ALTER TABLE api_keys ALTER COLUMN all_event_types SET DEFAULT false;
