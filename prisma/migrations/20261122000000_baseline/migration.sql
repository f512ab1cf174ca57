-- What holds data: types, tables, keys, indexes, checks, and the functions that defaults call. What holds none, from
-- triggers to views, stands in prisma/sql, one file a noun. Text sorts by code point (collation C).
--
-- What people look at and edit stands in the schema public; what the service keeps for itself in internal.

CREATE SCHEMA internal;

-- A time-ordered id (RFC 9562, version 7) for rows that are written by hand.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- A short name for a location, which its keys carry and proxies route by: 40 random bits in Crockford's letters and digits,
-- of which none looks like another. The last eight bytes of a UUID have five random bits each at their end.
CREATE FUNCTION location_code() RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(r.bytes, n) & 31), 1), '' ORDER BY n)
  FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) r CROSS JOIN generate_series(8, 15) n
$$;

-- What tells the transaction under way from all others. Ids of transactions begin again in a restored cluster; there the
-- server was started at another moment.
CREATE FUNCTION transaction_seed() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT md5(pg_current_xact_id()::text || ' ' || extract(epoch FROM pg_postmaster_start_time()))::uuid
$$;

-- The request that the transaction serves; NULL in psql and Studio. The setting has its id, and after a space the place of the
-- request in a trace, where it has one: one setting costs less than two.
CREATE FUNCTION current_request_id() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(split_part(current_setting('comanda.request_id', true), ' ', 1), '')
$$;
CREATE FUNCTION current_traceparent() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(split_part(current_setting('comanda.request_id', true), ' ', 2), '')
$$;

-- The API key that the transaction acts for; NULL in psql, Studio and the worker.
CREATE FUNCTION current_api_key_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(current_setting('comanda.api_key_id', true), '')::uuid
$$;

-- An http or https URL as JavaScript reads it, which passes by what stands around and between its letters; or none.
CREATE FUNCTION is_image_url(url text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT url = '' OR translate(url, E'\t\n\r', '') ~* '^[\u0001-\u0020]*https?:' AND char_length(url) <= 2048
$$;

-- The caller's own name of something.
CREATE FUNCTION is_external_id(id text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT char_length(id) BETWEEN 1 AND 255 AND id !~ '[\u0001-\u001f\u007f-\u009f]'
$$;

-- A moment that answers can show: of the years 1 to 9999, in any zone. Infinite ones have no text.
CREATE FUNCTION is_wire_time(moment timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT moment BETWEEN '0001-12-30 00:00:00+00 BC' AND '10000-01-02 00:00:00+00'
$$;

-- Of what every order writes. Not checks of the tables: the text of those is read anew by each statement that writes,
-- a twentieth of an order (docs/decisions/0015).
CREATE DOMAIN order_amount AS numeric(12,2) CONSTRAINT order_amount_check CHECK (VALUE >= 0);
-- What is compared with a highest value is no NaN, which is more than every number.
CREATE DOMAIN stock_amount AS numeric(13,3) CONSTRAINT stock_amount_check CHECK (VALUE BETWEEN 0 AND 9999999999.999);

CREATE TYPE location_status AS ENUM ('active', 'read_only', 'disabled', 'deleting');
CREATE TYPE order_status AS ENUM ('pending', 'ready', 'closed', 'canceled');
CREATE TYPE payment_status AS ENUM ('pending', 'completed', 'rejected');
CREATE TYPE payment_method_type AS ENUM ('cash', 'card', 'qr', 'transfer', 'online', 'other');
CREATE TYPE turn_status AS ENUM ('open', 'closed');
CREATE TYPE sync_mode AS ENUM ('upsert', 'create', 'update');
CREATE TYPE sync_job_status AS ENUM ('queued', 'processing', 'completed', 'failed');
CREATE TYPE webhook_endpoint_status AS ENUM ('active', 'disabled');
CREATE TYPE delivery_status AS ENUM ('pending', 'failed', 'delivered', 'dead', 'dropped');

-- Locations and their keys

-- The zones that a location may have: the IANA names, links included, that PostgreSQL and JavaScript both know. The
-- migrator fills it.
CREATE TABLE internal.time_zones (
  name text COLLATE "C" NOT NULL,
  CONSTRAINT time_zones_pkey PRIMARY KEY (name)
);

CREATE TABLE locations (
  id uuid NOT NULL DEFAULT uuid_v7(),
  code text COLLATE "C" NOT NULL DEFAULT location_code(),
  name text COLLATE "C" NOT NULL,
  timezone text COLLATE "C" NOT NULL DEFAULT 'UTC',
  currency char(3) COLLATE "C" NOT NULL DEFAULT 'USD',
  sandbox boolean NOT NULL DEFAULT false,
  status location_status NOT NULL DEFAULT 'active',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT locations_pkey PRIMARY KEY (id),
  CONSTRAINT locations_code_check CHECK (code ~ '^[0-9a-hjkmnp-tv-z]{8}$'),
  CONSTRAINT locations_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT locations_created_at_check CHECK (is_wire_time(created_at)),
  CONSTRAINT locations_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT locations_timezone_fkey FOREIGN KEY (timezone)
    REFERENCES internal.time_zones (name) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX locations_code_key ON locations (code);

-- Locations that went to another cell, so that whoever comes with one of their keys is told to come again. Such a row stays
-- when the location is deleted here, and goes when it comes back.
CREATE TABLE internal.moved_locations (
  code text COLLATE "C" NOT NULL,
  location_id uuid NOT NULL,
  cell text COLLATE "C" NOT NULL,
  moved_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT moved_locations_pkey PRIMARY KEY (code)
);

-- A location on its way to another cell, as comanda locations move goes on with it. Its column is named id, since it stays
-- when the location is exported.
CREATE TABLE internal.location_moves (
  id uuid NOT NULL,
  cell text COLLATE "C" NOT NULL,
  folder text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL DEFAULT 'drain',
  exported_at text COLLATE "C",
  seconds jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  step_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT location_moves_pkey PRIMARY KEY (id),
  CONSTRAINT location_moves_step_check CHECK (step IN ('drain', 'export', 'import', 'map', 'enable', 'done', 'abort')),
  CONSTRAINT location_moves_id_fkey FOREIGN KEY (id) REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
COMMENT ON TABLE internal.location_moves IS 'Locations on their way to another cell, and those that went.';

CREATE TABLE internal.location_counters (
  location_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  value bigint NOT NULL DEFAULT 0,
  CONSTRAINT location_counters_pkey PRIMARY KEY (location_id, name),
  CONSTRAINT location_counters_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);

-- How much there is of something, by location and name ('catalog', 'product visible', 'order pending' …), orders by
-- stretches of 1, 24 and 768 hours, the rest by none (0 hours, starts_at '-infinity'). Writers insert notes and wait for nobody; fold_tallies adds them
-- up (docs/decisions/0011). No foreign key: its check would cost every order.
CREATE TABLE internal.tallies (
  location_id uuid NOT NULL,
  hours smallint NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  name text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT tallies_pkey PRIMARY KEY (location_id, hours, starts_at, name)
) WITH (fillfactor = 80);

CREATE TABLE internal.tally_notes (
  location_id uuid NOT NULL,
  id bigserial,
  starts_at timestamptz(3) NOT NULL,
  name text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT tally_notes_pkey PRIMARY KEY (location_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);

CREATE TABLE api_keys (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  name text COLLATE "C" NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  key_hash bytea NOT NULL,
  permissions text[] COLLATE "C",
  per_minute int,
  monthly int,
  batch_jobs_per_hour int,
  max_items_per_batch int,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT api_keys_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT api_keys_permissions_check CHECK (permissions IS NOT NULL),
  CONSTRAINT api_keys_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT api_keys_key_hash_check CHECK (octet_length(key_hash) = 32),
  CONSTRAINT api_keys_limits_check CHECK (least(per_minute, monthly, batch_jobs_per_hour, max_items_per_batch) > 0),
  CONSTRAINT api_keys_permissions_list_check CHECK (permissions = '{}' OR array_ndims(permissions) = 1),
  CONSTRAINT api_keys_times_check CHECK (is_wire_time(created_at) AND (expires_at IS NULL OR is_wire_time(expires_at))
    AND (revoked_at IS NULL OR is_wire_time(revoked_at)) AND (last_used_at IS NULL OR is_wire_time(last_used_at))),
  CONSTRAINT api_keys_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX api_keys_id_idx ON api_keys (id);
CREATE UNIQUE INDEX api_keys_key_hash_key ON api_keys (key_hash);

-- What signs a person in to the app, once; kept for a day, to tell what was used from what never was.
CREATE TABLE internal.app_codes (
  code_hash bytea NOT NULL,
  location_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  screens text[] COLLATE "C" NOT NULL,
  key_hours int NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  used_at timestamptz(3),
  CONSTRAINT app_codes_pkey PRIMARY KEY (code_hash),
  CONSTRAINT app_codes_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX app_codes_created_at_idx ON internal.app_codes (created_at);

CREATE TABLE internal.limit_counters (
  api_key_id uuid NOT NULL,
  "window" text COLLATE "C" NOT NULL,
  window_start timestamptz(3) NOT NULL,
  used int NOT NULL DEFAULT 0,
  CONSTRAINT limit_counters_pkey PRIMARY KEY (api_key_id, "window", window_start)
) WITH (fillfactor = 50);

CREATE TABLE internal.idempotency_keys (
  location_id uuid NOT NULL,
  api_key_id uuid NOT NULL,
  operation text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request_hash bytea NOT NULL,
  response text COLLATE "C",
  sealed bytea,
  encryption_key_id text COLLATE "C",
  refusal text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- One answer, and one check: the text of each is read anew by every statement that writes.
  CONSTRAINT idempotency_keys_answer_check CHECK (num_nonnulls(response, sealed, refusal) = 1
    AND (sealed IS NULL) = (encryption_key_id IS NULL)),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (location_id, api_key_id, operation, key),
  CONSTRAINT idempotency_keys_location_id_api_key_id_fkey FOREIGN KEY (location_id, api_key_id)
    REFERENCES api_keys (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_created_at_idx ON internal.idempotency_keys (created_at);
CREATE INDEX idempotency_keys_sealed_idx ON internal.idempotency_keys (location_id, api_key_id, operation, key)
  WHERE sealed IS NOT NULL;

-- Without a location: a location that was deleted by hand, and what a deed did to tables of the service.
CREATE TABLE audit_entries (
  location_id uuid,
  id uuid NOT NULL DEFAULT uuid_v7(),
  actor_kind text COLLATE "C" NOT NULL,
  api_key_id uuid,
  actor_name text COLLATE "C",
  application_name text COLLATE "C",
  request_id text COLLATE "C",
  client_address text COLLATE "C",
  operation text COLLATE "C" NOT NULL,
  relation text COLLATE "C",
  resource_id uuid,
  row_count int,
  changes jsonb NOT NULL DEFAULT '{}',
  deed text COLLATE "C",
  caused_by uuid,
  undo_of uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
  CONSTRAINT audit_entries_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX audit_entries_location_id_created_at_id_idx ON audit_entries (location_id, created_at DESC, id DESC);
CREATE INDEX audit_entries_restored_idx ON audit_entries (location_id, created_at) WHERE operation = 'locations.restored';

-- The catalog

CREATE TABLE categories (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  external_id text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  priority smallint NOT NULL DEFAULT 0,
  visible boolean NOT NULL DEFAULT true,
  image_url text COLLATE "C" NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT categories_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT categories_external_id_check CHECK (is_external_id(external_id)),
  CONSTRAINT categories_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT categories_image_url_check CHECK (is_image_url(image_url)),
  CONSTRAINT categories_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX categories_location_id_priority_name_id_idx ON categories (location_id, priority, name, id);
CREATE UNIQUE INDEX categories_location_id_external_id_key ON categories (location_id, external_id);

CREATE TABLE products (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  external_id text COLLATE "C",
  sku text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Near the front: what lies before it is read over for each row that is searched.
  search_text text COLLATE "C" NOT NULL DEFAULT '',
  description text COLLATE "C" NOT NULL DEFAULT '',
  price numeric NOT NULL,
  visible boolean NOT NULL DEFAULT true,
  image_url text COLLATE "C" NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT products_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT products_external_id_check CHECK (is_external_id(external_id)),
  CONSTRAINT products_sku_check CHECK (char_length(sku) BETWEEN 1 AND 255),
  CONSTRAINT products_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT products_description_check CHECK (char_length(description) <= 10000),
  -- No numeric(12,2), which would round what has more decimals.
  CONSTRAINT products_price_check CHECK (price BETWEEN 0 AND 9999999999.99 AND price = round(price, 2)),
  CONSTRAINT products_image_url_check CHECK (is_image_url(image_url)),
  CONSTRAINT products_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX products_location_id_name_id_idx ON products (location_id, name, id);
CREATE UNIQUE INDEX products_location_id_external_id_key ON products (location_id, external_id);
CREATE UNIQUE INDEX products_location_id_sku_key ON products (location_id, sku);

CREATE TABLE product_categories (
  location_id uuid NOT NULL,
  product_id uuid NOT NULL,
  category_id uuid NOT NULL,
  CONSTRAINT product_categories_pkey PRIMARY KEY (location_id, product_id, category_id),
  CONSTRAINT product_categories_location_id_category_id_fkey FOREIGN KEY (location_id, category_id)
    REFERENCES categories (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT product_categories_location_id_product_id_fkey FOREIGN KEY (location_id, product_id)
    REFERENCES products (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX product_categories_location_id_category_id_product_id_idx
  ON product_categories (location_id, category_id, product_id);

CREATE TABLE product_stock (
  location_id uuid NOT NULL,
  product_id uuid NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  quantity stock_amount NOT NULL,
  min_stock_alarm stock_amount NOT NULL DEFAULT 0,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT product_stock_pkey PRIMARY KEY (location_id, product_id),
  CONSTRAINT product_stock_location_id_product_id_fkey FOREIGN KEY (location_id, product_id)
    REFERENCES products (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX product_stock_location_id_updated_at_product_id_idx
  ON product_stock (location_id, updated_at, product_id);

CREATE TABLE subselections (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  product_id uuid NOT NULL,
  external_id text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  min_selection int NOT NULL DEFAULT 0,
  max_selection int NOT NULL DEFAULT 1,
  single boolean NOT NULL DEFAULT true,
  position int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT subselections_position_check CHECK (position <= 1000000000),
  CONSTRAINT subselections_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT subselections_external_id_check CHECK (is_external_id(external_id)),
  CONSTRAINT subselections_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT subselections_range_check CHECK (0 <= min_selection AND min_selection <= max_selection),
  CONSTRAINT subselections_location_id_product_id_fkey FOREIGN KEY (location_id, product_id)
    REFERENCES products (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE UNIQUE INDEX subselections_location_id_product_id_external_id_key
  ON subselections (location_id, product_id, external_id);

CREATE TABLE subselection_items (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  subselection_id uuid NOT NULL,
  external_id text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  price numeric NOT NULL DEFAULT 0,
  min int NOT NULL DEFAULT 0,
  max int NOT NULL DEFAULT 1,
  visible boolean NOT NULL DEFAULT true,
  image_url text COLLATE "C" NOT NULL DEFAULT '',
  position int NOT NULL DEFAULT 0,
  stock_enabled boolean NOT NULL DEFAULT false,
  stock_quantity numeric(13,3) NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT subselection_items_position_check CHECK (position <= 1000000000),
  CONSTRAINT subselection_items_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT subselection_items_external_id_check CHECK (is_external_id(external_id)),
  CONSTRAINT subselection_items_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT subselection_items_price_check CHECK (price BETWEEN 0 AND 9999999999.99 AND price = round(price, 2)),
  CONSTRAINT subselection_items_image_url_check CHECK (is_image_url(image_url)),
  CONSTRAINT subselection_items_range_check CHECK (0 <= min AND min <= max),
  CONSTRAINT subselection_items_stock_check CHECK (stock_quantity BETWEEN 0 AND 9999999999.999),
  CONSTRAINT subselection_items_location_id_subselection_id_fkey FOREIGN KEY (location_id, subselection_id)
    REFERENCES subselections (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE UNIQUE INDEX subselection_items_location_id_subselection_id_external_id_key
  ON subselection_items (location_id, subselection_id, external_id);

CREATE TABLE internal.catalog_versions (
  location_id uuid NOT NULL,
  epoch text COLLATE "C" NOT NULL,
  token bigint NOT NULL,
  version timestamptz(3) NOT NULL,
  CONSTRAINT catalog_versions_pkey PRIMARY KEY (location_id),
  CONSTRAINT catalog_versions_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

CREATE TABLE menus (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  name text COLLATE "C" NOT NULL,
  version int NOT NULL DEFAULT 0,
  is_published boolean NOT NULL DEFAULT false,
  published_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT menus_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT menus_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT menus_version_check CHECK (version BETWEEN 0 AND 2000000000),
  CONSTRAINT menus_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE UNIQUE INDEX menus_one_published_idx ON menus (location_id) WHERE is_published;

CREATE TABLE menu_categories (
  location_id uuid NOT NULL,
  menu_id uuid NOT NULL,
  category_id uuid NOT NULL,
  position int NOT NULL DEFAULT 0,
  CONSTRAINT menu_categories_position_check CHECK (position <= 1000000000),
  CONSTRAINT menu_categories_pkey PRIMARY KEY (location_id, menu_id, category_id),
  CONSTRAINT menu_categories_location_id_category_id_fkey FOREIGN KEY (location_id, category_id)
    REFERENCES categories (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT menu_categories_location_id_menu_id_fkey FOREIGN KEY (location_id, menu_id)
    REFERENCES menus (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX menu_categories_location_id_category_id_idx ON menu_categories (location_id, category_id);

CREATE TABLE sync_jobs (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  type text COLLATE "C" NOT NULL DEFAULT 'products',
  mode sync_mode NOT NULL DEFAULT 'upsert',
  status sync_job_status NOT NULL DEFAULT 'queued',
  items jsonb,
  total_items int NOT NULL,
  processed_items int NOT NULL DEFAULT 0,
  success_items int NOT NULL DEFAULT 0,
  failed_items int NOT NULL DEFAULT 0,
  errors jsonb NOT NULL DEFAULT '[]',
  error text COLLATE "C",
  -- What was applied, when it was asked for: [{index, external_id, id}].
  applied jsonb,
  request_id text COLLATE "C",
  traceparent text COLLATE "C" DEFAULT current_traceparent(),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  CONSTRAINT sync_jobs_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT sync_jobs_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX sync_jobs_location_id_created_at_id_idx ON sync_jobs (location_id, created_at DESC, id DESC);
CREATE INDEX sync_jobs_unfinished_idx ON sync_jobs (status, created_at) WHERE status IN ('queued', 'processing');

CREATE TABLE certifications (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  status text COLLATE "C" NOT NULL DEFAULT 'queued',
  -- What the integration does: {receives_webhooks, reads_catalog, reads_lists, places_orders}.
  does jsonb NOT NULL,
  checks jsonb NOT NULL DEFAULT '[]',
  waiting_for jsonb,
  verdict text COLLATE "C",
  -- What the next calls of these operations meet, in this order.
  faults text[] COLLATE "C" NOT NULL DEFAULT ARRAY[]::text[],
  fault_operations text[] COLLATE "C" NOT NULL DEFAULT ARRAY[]::text[],
  -- The endpoint that plays being down.
  held_endpoint_id uuid,
  alive_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  CONSTRAINT certifications_status_check CHECK (status IN ('queued', 'running', 'passed', 'failed', 'aborted')),
  CONSTRAINT certifications_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT certifications_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX certifications_location_id_created_at_id_idx ON certifications (location_id, created_at DESC, id DESC);
-- One run at a time.
CREATE UNIQUE INDEX certifications_open_idx ON certifications (location_id) WHERE status IN ('queued', 'running');
CREATE INDEX certifications_alive_idx ON certifications (alive_at) WHERE status IN ('queued', 'running');

-- What arrived while a certification ran; removed when it ends.
CREATE TABLE internal.certification_calls (
  location_id uuid NOT NULL,
  certification_id uuid NOT NULL,
  number bigserial,
  operation text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C",
  request_id text COLLATE "C" NOT NULL,
  fault text COLLATE "C",
  status smallint,
  replayed boolean NOT NULL DEFAULT false,
  began_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3),
  CONSTRAINT certification_calls_pkey PRIMARY KEY (location_id, certification_id, number),
  CONSTRAINT certification_calls_location_id_certification_id_fkey FOREIGN KEY (location_id, certification_id)
    REFERENCES certifications (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);

-- Money: turns, settlements, orders, payments

CREATE TABLE payment_methods (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  name text COLLATE "C" NOT NULL,
  type payment_method_type NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT payment_methods_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT payment_methods_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT payment_methods_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE turns (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  batch_number int NOT NULL,
  status turn_status NOT NULL DEFAULT 'open',
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ended_at timestamptz(3),
  CONSTRAINT turns_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT turns_batch_number_check CHECK (batch_number BETWEEN 1 AND 2000000000),
  CONSTRAINT turns_times_check CHECK (is_wire_time(started_at) AND (ended_at IS NULL OR is_wire_time(ended_at))),
  CONSTRAINT turns_ended_at_check CHECK (ended_at >= started_at AND (status = 'closed' OR ended_at IS NULL)),
  CONSTRAINT turns_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE UNIQUE INDEX turns_location_id_batch_number_key ON turns (location_id, batch_number);
CREATE UNIQUE INDEX turns_one_open_idx ON turns (location_id) WHERE status = 'open';

CREATE TABLE settlements (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  turn_id uuid NOT NULL,
  batch_number int NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) NOT NULL,
  total_orders int NOT NULL,
  total_collected numeric(22,2) NOT NULL,
  average_ticket numeric(14,2) NOT NULL,
  payments jsonb NOT NULL,
  orders jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT settlements_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT settlements_location_id_turn_id_fkey FOREIGN KEY (location_id, turn_id)
    REFERENCES turns (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE UNIQUE INDEX settlements_location_id_turn_id_key ON settlements (location_id, turn_id);

CREATE TABLE orders (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  number int NOT NULL DEFAULT 0,
  external_id text COLLATE "C",
  status order_status NOT NULL DEFAULT 'pending',
  total order_amount NOT NULL DEFAULT 0,
  channel text COLLATE "C",
  is_take_away boolean NOT NULL DEFAULT false,
  identifier text COLLATE "C" NOT NULL DEFAULT '',
  payment_method_id uuid NOT NULL,
  turn_id uuid,
  cancel_reason text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by uuid DEFAULT current_api_key_id(),
  request_id text COLLATE "C" DEFAULT current_request_id(),
  CONSTRAINT orders_pkey PRIMARY KEY (location_id, id),
  -- Below zero until the transaction commits in which it is written by hand. What else a hand may not write stands in
  -- prisma/sql/hand_orders.sql: each check here would cost every order and every move of one.
  CONSTRAINT orders_number_check CHECK (number <> 0 AND number <= 2000000000),
  CONSTRAINT orders_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT orders_location_id_payment_method_id_fkey FOREIGN KEY (location_id, payment_method_id)
    REFERENCES payment_methods (location_id, id) ON UPDATE CASCADE ON DELETE RESTRICT,
  CONSTRAINT orders_location_id_turn_id_fkey FOREIGN KEY (location_id, turn_id)
    REFERENCES turns (location_id, id) ON UPDATE CASCADE
);
CREATE INDEX orders_location_id_created_at_id_idx ON orders (location_id, created_at DESC, id DESC);
CREATE INDEX orders_location_id_status_created_at_id_idx ON orders (location_id, status, created_at DESC, id DESC);
CREATE INDEX orders_location_id_total_id_idx ON orders (location_id, total, id);
CREATE INDEX orders_location_id_turn_id_idx ON orders (location_id, turn_id);
CREATE INDEX orders_location_id_updated_at_id_idx ON orders (location_id, updated_at, id);
CREATE UNIQUE INDEX orders_location_id_external_id_key ON orders (location_id, external_id);
CREATE UNIQUE INDEX orders_location_id_number_key ON orders (location_id, number);

CREATE TABLE order_items (
  location_id uuid NOT NULL,
  order_id uuid NOT NULL,
  position smallint NOT NULL DEFAULT 0,
  product_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  unit_price numeric(12,2) NOT NULL,
  quantity numeric(13,3) NOT NULL,
  total numeric(12,2) NOT NULL DEFAULT 0,
  comment text COLLATE "C",
  selections jsonb NOT NULL DEFAULT '[]',
  stock_taken boolean NOT NULL DEFAULT false,
  CONSTRAINT order_items_pkey PRIMARY KEY (location_id, order_id, position),
  CONSTRAINT order_items_quantity_check CHECK (quantity > 0),
  CONSTRAINT order_items_location_id_order_id_fkey FOREIGN KEY (location_id, order_id)
    REFERENCES orders (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE internal.order_moves (
  location_id uuid NOT NULL,
  order_id uuid NOT NULL,
  id bigserial,
  from_status order_status NOT NULL,
  to_status order_status NOT NULL,
  moved_by uuid DEFAULT current_api_key_id(),
  request_id text COLLATE "C" DEFAULT current_request_id(),
  moved_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT order_moves_pkey PRIMARY KEY (location_id, order_id, id),
  CONSTRAINT order_moves_location_id_order_id_fkey FOREIGN KEY (location_id, order_id)
    REFERENCES orders (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE payments (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  order_id uuid NOT NULL,
  payment_method_id uuid NOT NULL,
  amount order_amount NOT NULL,
  status payment_status NOT NULL DEFAULT 'pending',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT payments_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT payments_location_id_order_id_fkey FOREIGN KEY (location_id, order_id)
    REFERENCES orders (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT payments_location_id_payment_method_id_fkey FOREIGN KEY (location_id, payment_method_id)
    REFERENCES payment_methods (location_id, id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX payments_location_id_created_at_id_idx ON payments (location_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX payments_location_id_order_id_key ON payments (location_id, order_id);

-- From a change to a webhook

CREATE TABLE internal.captured_changes (
  location_id uuid NOT NULL,
  id bigserial,
  line int NOT NULL DEFAULT 0,
  seed uuid NOT NULL DEFAULT transaction_seed(),
  part int NOT NULL DEFAULT 0,
  resource text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  resource_ids uuid[] NOT NULL,
  changed text[] COLLATE "C" DEFAULT ARRAY[]::text[],
  before jsonb[],
  after jsonb[],
  in_catalog boolean NOT NULL DEFAULT false,
  request_id text COLLATE "C" DEFAULT current_request_id(),
  traceparent text COLLATE "C" DEFAULT current_traceparent(),
  captured_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  error text COLLATE "C",
  failures smallint NOT NULL DEFAULT 0,
  retry_at timestamptz(3),
  CONSTRAINT captured_changes_pkey PRIMARY KEY (location_id, id, line)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);
CREATE INDEX captured_changes_seed_location_id_part_id_line_idx ON internal.captured_changes (seed, location_id, part, id, line);
CREATE INDEX captured_changes_set_aside_idx ON internal.captured_changes (retry_at) WHERE failures > 0;
COMMENT ON TABLE internal.captured_changes IS 'Changes that wait to be published; rows go once their events are stored.';

CREATE TABLE events (
  location_id uuid NOT NULL,
  id uuid NOT NULL,
  number bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  resource_id uuid NOT NULL,
  body text COLLATE "C" NOT NULL,
  body_v1 text COLLATE "C",
  request_id text COLLATE "C",
  traceparent text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  published_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT events_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT events_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX events_location_id_resource_id_idx ON events (location_id, resource_id);
CREATE INDEX events_location_id_type_number_idx ON events (location_id, type, number);
CREATE UNIQUE INDEX events_location_id_number_key ON events (location_id, number);

CREATE TABLE webhook_endpoints (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  url text COLLATE "C" NOT NULL,
  events text[] COLLATE "C",
  status webhook_endpoint_status NOT NULL DEFAULT 'active',
  api_version text COLLATE "C" NOT NULL DEFAULT 'v2',
  delivers_after bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT webhook_endpoints_url_check CHECK (char_length(url) <= 2048
    AND url ~* '^https?://[^/\\?#\s\u0001-\u001f\u007f-\u009f][^\\\s\u0001-\u001f\u007f-\u009f]*$'),
  CONSTRAINT webhook_endpoints_events_check CHECK (
    events IS NOT NULL AND array_ndims(events) = 1 AND array_position(events, NULL) IS NULL),
  CONSTRAINT webhook_endpoints_version_check CHECK (api_version IN ('v1', 'v2')),
  CONSTRAINT webhook_endpoints_location_id_fkey FOREIGN KEY (location_id)
    REFERENCES locations (id) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE internal.webhook_secrets (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  endpoint_id uuid NOT NULL,
  encryption_key_id text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_secrets_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT webhook_secrets_location_id_endpoint_id_fkey FOREIGN KEY (location_id, endpoint_id)
    REFERENCES webhook_endpoints (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX webhook_secrets_location_id_endpoint_id_idx ON internal.webhook_secrets (location_id, endpoint_id);
CREATE UNIQUE INDEX webhook_secrets_current_key ON internal.webhook_secrets (location_id, endpoint_id)
  WHERE expires_at IS NULL;

CREATE TABLE internal.endpoint_health (
  location_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  last_delivered_at timestamptz(3),
  failing_since timestamptz(3),
  CONSTRAINT endpoint_health_pkey PRIMARY KEY (location_id, endpoint_id),
  CONSTRAINT endpoint_health_location_id_endpoint_id_fkey FOREIGN KEY (location_id, endpoint_id)
    REFERENCES webhook_endpoints (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX endpoint_health_failing_idx ON internal.endpoint_health (failing_since) WHERE failing_since IS NOT NULL;
COMMENT ON TABLE internal.endpoint_health IS 'How deliveries to an endpoint went of late, as workers tell it every ten seconds.';

CREATE TABLE internal.endpoint_clearings (
  location_id uuid NOT NULL,
  id bigserial,
  endpoint_id uuid NOT NULL,
  gone boolean NOT NULL,
  asked_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  pass_began_at timestamptz(3),
  after_due timestamptz(3) NOT NULL DEFAULT '-infinity',
  after_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  look_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT endpoint_clearings_pkey PRIMARY KEY (location_id, id)
);
COMMENT ON TABLE internal.endpoint_clearings IS 'Endpoints whose deliveries are cleared away, a batch at a time.';

CREATE TABLE webhook_deliveries (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  number bigserial,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  status delivery_status NOT NULL DEFAULT 'pending',
  attempts smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  leased_until timestamptz(3),
  leased_by text COLLATE "C",
  replayed boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts BETWEEN 0 AND 5),
  CONSTRAINT webhook_deliveries_next_attempt_check CHECK (next_attempt_at IS NULL OR status IN ('pending', 'failed')),
  CONSTRAINT webhook_deliveries_location_id_event_id_fkey FOREIGN KEY (location_id, event_id)
    REFERENCES events (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
CREATE INDEX webhook_deliveries_due_idx
  ON webhook_deliveries (location_id, endpoint_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_location_id_event_id_idx ON webhook_deliveries (location_id, event_id);
CREATE INDEX webhook_deliveries_overdue_idx ON webhook_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_dead_idx ON webhook_deliveries (location_id, endpoint_id) WHERE status = 'dead';

CREATE TABLE webhook_attempts (
  location_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuid_v7(),
  delivery_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  attempt smallint NOT NULL,
  status delivery_status NOT NULL,
  response_code smallint,
  response_body text COLLATE "C",
  error text COLLATE "C",
  duration_ms int NOT NULL,
  attempted_at timestamptz(3) NOT NULL,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (location_id, id),
  CONSTRAINT webhook_attempts_location_id_delivery_id_fkey FOREIGN KEY (location_id, delivery_id)
    REFERENCES webhook_deliveries (location_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX webhook_attempts_location_id_endpoint_id_attempted_at_id_idx
  ON webhook_attempts (location_id, endpoint_id, attempted_at DESC, id DESC);
CREATE UNIQUE INDEX webhook_attempts_location_id_delivery_id_attempt_key
  ON webhook_attempts (location_id, delivery_id, attempt);

-- The service itself

CREATE TABLE internal.process_heartbeats (
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  host text COLLATE "C" NOT NULL,
  pid int NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  pid_space text COLLATE "C",
  unsignable uuid[] NOT NULL DEFAULT ARRAY[]::uuid[],
  CONSTRAINT process_heartbeats_pkey PRIMARY KEY (id)
) WITH (fillfactor = 50);

CREATE TABLE internal.work_totals (
  name text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  total bigint NOT NULL DEFAULT 0,
  CONSTRAINT work_totals_pkey PRIMARY KEY (name, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What prisma/sql put into this database: each object, and each state of the folder.
CREATE TABLE internal.sql_objects (
  identity text COLLATE "C" NOT NULL,
  checksum text COLLATE "C" NOT NULL,
  definition text COLLATE "C" NOT NULL,
  gone_since text COLLATE "C",
  applied_at timestamptz(3) NOT NULL,
  CONSTRAINT sql_objects_pkey PRIMARY KEY (identity)
);

CREATE TABLE internal.sql_releases (
  hash text COLLATE "C" NOT NULL,
  release text COLLATE "C" NOT NULL,
  applied_at timestamptz(3) NOT NULL,
  migrations jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT sql_releases_pkey PRIMARY KEY (hash)
);

-- Statistics of a location would tell the planner that one it has not seen has a single row, and that any index which
-- begins with location_id leads to it (docs/decisions/0020). Without them a location is a two-hundredth of the table.
DO $$
DECLARE
  located regclass;
BEGIN
  FOR located IN
    SELECT a.attrelid FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attname = 'location_id' AND c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'internal'::regnamespace)
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN location_id SET STATISTICS 0', located);
  END LOOP;
END $$;
