-- Every table of the domain, as prisma/schema.prisma declares it. Text sorts by code point (collation C).

-- A time-ordered id (RFC 9562, version 7) for rows that are written by hand.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- The id of the transaction under way, as a number Prisma can carry.
CREATE FUNCTION transaction_id() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT pg_current_xact_id()::text::bigint
$$;

-- The request that the transaction serves; NULL in psql and Studio.
CREATE FUNCTION current_request_id() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(current_setting('comanda.request_id', true), '')
$$;

-- CreateEnum
CREATE TYPE "order_status" AS ENUM ('pending', 'ready', 'closed', 'canceled');

-- CreateEnum
CREATE TYPE "payment_status" AS ENUM ('pending', 'completed', 'rejected');

-- CreateEnum
CREATE TYPE "payment_method_type" AS ENUM ('cash', 'card', 'qr', 'transfer', 'online', 'other');

-- CreateEnum
CREATE TYPE "turn_status" AS ENUM ('open', 'closed');

-- CreateEnum
CREATE TYPE "sync_mode" AS ENUM ('upsert', 'create', 'update');

-- CreateEnum
CREATE TYPE "sync_job_status" AS ENUM ('queued', 'processing', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "webhook_endpoint_status" AS ENUM ('active', 'disabled');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'failed', 'delivered', 'dead', 'dropped');

-- CreateTable
CREATE TABLE "locations" (
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "name" TEXT COLLATE "C" NOT NULL,
    "timezone" TEXT COLLATE "C" NOT NULL DEFAULT 'UTC',
    "currency" CHAR(3) NOT NULL DEFAULT 'USD',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "locations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "location_counters" (
    "location_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "value" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "location_counters_pkey" PRIMARY KEY ("location_id","name")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "name" TEXT COLLATE "C" NOT NULL,
    "prefix" TEXT COLLATE "C" NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "permissions" TEXT[],
    "per_minute" INTEGER,
    "monthly" INTEGER,
    "batch_jobs_per_hour" INTEGER,
    "max_items_per_batch" INTEGER,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "categories" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "external_id" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "priority" SMALLINT NOT NULL DEFAULT 0,
    "visible" BOOLEAN NOT NULL DEFAULT true,
    "image_url" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "categories_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "products" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "external_id" TEXT COLLATE "C",
    "sku" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "price" DECIMAL(12,2) NOT NULL,
    "visible" BOOLEAN NOT NULL DEFAULT true,
    "image_url" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "products_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "product_categories" (
    "location_id" UUID NOT NULL,
    "product_id" UUID NOT NULL,
    "category_id" UUID NOT NULL,

    CONSTRAINT "product_categories_pkey" PRIMARY KEY ("location_id","product_id","category_id")
);

-- CreateTable
CREATE TABLE "product_stock" (
    "location_id" UUID NOT NULL,
    "product_id" UUID NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "quantity" DECIMAL(13,3) NOT NULL,
    "min_stock_alarm" DECIMAL(13,3) NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "product_stock_pkey" PRIMARY KEY ("location_id","product_id")
);

-- CreateTable
CREATE TABLE "subselections" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "product_id" UUID NOT NULL,
    "external_id" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "min_selection" INTEGER NOT NULL DEFAULT 0,
    "max_selection" INTEGER NOT NULL DEFAULT 1,
    "single" BOOLEAN NOT NULL DEFAULT true,
    "position" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subselections_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "subselection_items" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "subselection_id" UUID NOT NULL,
    "external_id" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "price" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "min" INTEGER NOT NULL DEFAULT 0,
    "max" INTEGER NOT NULL DEFAULT 1,
    "visible" BOOLEAN NOT NULL DEFAULT true,
    "image_url" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "position" INTEGER NOT NULL DEFAULT 0,
    "stock_enabled" BOOLEAN NOT NULL DEFAULT false,
    "stock_quantity" DECIMAL(13,3) NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subselection_items_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "menus" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "name" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "is_published" BOOLEAN NOT NULL DEFAULT false,
    "published_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "menus_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "menu_categories" (
    "location_id" UUID NOT NULL,
    "menu_id" UUID NOT NULL,
    "category_id" UUID NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "menu_categories_pkey" PRIMARY KEY ("location_id","menu_id","category_id")
);

-- CreateTable
CREATE TABLE "payment_methods" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "name" TEXT COLLATE "C" NOT NULL,
    "type" "payment_method_type" NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_methods_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "turns" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "batch_number" INTEGER NOT NULL,
    "status" "turn_status" NOT NULL DEFAULT 'open',
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "turns_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "settlements" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "turn_id" UUID NOT NULL,
    "batch_number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "total_orders" INTEGER NOT NULL,
    "total_collected" DECIMAL(14,2) NOT NULL,
    "average_ticket" DECIMAL(14,2) NOT NULL,
    "payments" JSONB NOT NULL,
    "orders" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "settlements_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "orders" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "number" INTEGER NOT NULL,
    "external_id" TEXT COLLATE "C",
    "status" "order_status" NOT NULL DEFAULT 'pending',
    "total" DECIMAL(12,2) NOT NULL,
    "channel" TEXT COLLATE "C",
    "is_take_away" BOOLEAN NOT NULL DEFAULT false,
    "identifier" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "payment_method_id" UUID NOT NULL,
    "turn_id" UUID,
    "cancel_reason" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "order_items" (
    "location_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "position" SMALLINT NOT NULL,
    "product_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "unit_price" DECIMAL(12,2) NOT NULL,
    "quantity" DECIMAL(13,3) NOT NULL,
    "total" DECIMAL(12,2) NOT NULL,
    "comment" TEXT COLLATE "C",
    "selections" JSONB NOT NULL DEFAULT '[]',
    "stock_taken" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "order_items_pkey" PRIMARY KEY ("location_id","order_id","position")
);

-- CreateTable
CREATE TABLE "payments" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "order_id" UUID NOT NULL,
    "payment_method_id" UUID NOT NULL,
    "amount" DECIMAL(12,2) NOT NULL,
    "status" "payment_status" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "sync_jobs" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "type" TEXT COLLATE "C" NOT NULL DEFAULT 'products',
    "mode" "sync_mode" NOT NULL DEFAULT 'upsert',
    "status" "sync_job_status" NOT NULL DEFAULT 'queued',
    "items" JSONB,
    "total_items" INTEGER NOT NULL,
    "processed_items" INTEGER NOT NULL DEFAULT 0,
    "success_items" INTEGER NOT NULL DEFAULT 0,
    "failed_items" INTEGER NOT NULL DEFAULT 0,
    "errors" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT COLLATE "C",
    "request_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "sync_jobs_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "url" TEXT COLLATE "C" NOT NULL,
    "events" TEXT[],
    "status" "webhook_endpoint_status" NOT NULL DEFAULT 'active',
    "api_version" TEXT COLLATE "C" NOT NULL DEFAULT 'v2',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "webhook_secrets" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "endpoint_id" UUID NOT NULL,
    "encryption_key_id" TEXT COLLATE "C" NOT NULL,
    "sealed" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "resource_id" UUID NOT NULL,
    "body" TEXT COLLATE "C" NOT NULL,
    "body_v1" TEXT COLLATE "C",
    "request_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),
    "leased_by" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "delivery_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "event_type" TEXT COLLATE "C" NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "status" "delivery_status" NOT NULL,
    "response_code" SMALLINT,
    "response_body" TEXT COLLATE "C",
    "error" TEXT COLLATE "C",
    "duration_ms" INTEGER NOT NULL,
    "attempted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateTable
CREATE TABLE "captured_changes" (
    "id" BIGSERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL DEFAULT transaction_id(),
    "location_id" UUID NOT NULL,
    "resource" TEXT COLLATE "C" NOT NULL,
    "resource_id" UUID NOT NULL,
    "operation" TEXT COLLATE "C" NOT NULL,
    "changed" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "before" JSONB,
    "after" JSONB,
    "request_id" TEXT COLLATE "C" DEFAULT current_request_id(),
    "captured_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "captured_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "location_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "operation" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "status" SMALLINT NOT NULL,
    "response" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("location_id","api_key_id","operation","key")
);

-- CreateTable
CREATE TABLE "limit_counters" (
    "api_key_id" UUID NOT NULL,
    "window" TEXT COLLATE "C" NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "limit_counters_pkey" PRIMARY KEY ("api_key_id","window","window_start")
);

-- CreateTable
CREATE TABLE "process_heartbeats" (
    "id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "host" TEXT COLLATE "C" NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "process_heartbeats_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "actor_kind" TEXT COLLATE "C" NOT NULL,
    "api_key_id" UUID,
    "request_id" TEXT COLLATE "C",
    "operation" TEXT COLLATE "C" NOT NULL,
    "resource_id" UUID,
    "changes" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("location_id","id")
);

-- CreateIndex
CREATE INDEX "api_keys_id_idx" ON "api_keys"("id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "categories_location_id_priority_name_id_idx" ON "categories"("location_id", "priority", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "categories_location_id_external_id_key" ON "categories"("location_id", "external_id");

-- CreateIndex
CREATE INDEX "products_location_id_name_id_idx" ON "products"("location_id", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "products_location_id_external_id_key" ON "products"("location_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "products_location_id_sku_key" ON "products"("location_id", "sku");

-- CreateIndex
CREATE INDEX "product_categories_location_id_category_id_product_id_idx" ON "product_categories"("location_id", "category_id", "product_id");

-- CreateIndex
CREATE INDEX "product_stock_location_id_updated_at_product_id_idx" ON "product_stock"("location_id", "updated_at", "product_id");

-- CreateIndex
CREATE UNIQUE INDEX "subselections_location_id_product_id_external_id_key" ON "subselections"("location_id", "product_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "subselection_items_location_id_subselection_id_external_id_key" ON "subselection_items"("location_id", "subselection_id", "external_id");

-- CreateIndex
CREATE INDEX "menu_categories_location_id_category_id_idx" ON "menu_categories"("location_id", "category_id");

-- CreateIndex
CREATE UNIQUE INDEX "turns_location_id_batch_number_key" ON "turns"("location_id", "batch_number");

-- CreateIndex
CREATE UNIQUE INDEX "settlements_location_id_turn_id_key" ON "settlements"("location_id", "turn_id");

-- CreateIndex
CREATE INDEX "orders_location_id_created_at_id_idx" ON "orders"("location_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_location_id_status_created_at_id_idx" ON "orders"("location_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_location_id_turn_id_idx" ON "orders"("location_id", "turn_id");

-- CreateIndex
CREATE UNIQUE INDEX "orders_location_id_number_key" ON "orders"("location_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "orders_location_id_external_id_key" ON "orders"("location_id", "external_id");

-- CreateIndex
CREATE INDEX "payments_location_id_created_at_id_idx" ON "payments"("location_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "payments_location_id_order_id_key" ON "payments"("location_id", "order_id");

-- CreateIndex
CREATE INDEX "sync_jobs_location_id_created_at_id_idx" ON "sync_jobs"("location_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_secrets_location_id_endpoint_id_idx" ON "webhook_secrets"("location_id", "endpoint_id");

-- CreateIndex
CREATE INDEX "events_location_id_resource_id_idx" ON "events"("location_id", "resource_id");

-- CreateIndex
CREATE UNIQUE INDEX "events_location_id_number_key" ON "events"("location_id", "number");

-- CreateIndex
CREATE INDEX "webhook_deliveries_location_id_event_id_idx" ON "webhook_deliveries"("location_id", "event_id");

-- CreateIndex
CREATE INDEX "webhook_attempts_location_id_endpoint_id_attempted_at_id_idx" ON "webhook_attempts"("location_id", "endpoint_id", "attempted_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_attempts_location_id_delivery_id_attempt_key" ON "webhook_attempts"("location_id", "delivery_id", "attempt");

-- CreateIndex
CREATE INDEX "captured_changes_transaction_id_idx" ON "captured_changes"("transaction_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "audit_entries_location_id_created_at_id_idx" ON "audit_entries"("location_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "location_counters" ADD CONSTRAINT "location_counters_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "categories" ADD CONSTRAINT "categories_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "products" ADD CONSTRAINT "products_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "product_categories" ADD CONSTRAINT "product_categories_location_id_product_id_fkey" FOREIGN KEY ("location_id", "product_id") REFERENCES "products"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "product_categories" ADD CONSTRAINT "product_categories_location_id_category_id_fkey" FOREIGN KEY ("location_id", "category_id") REFERENCES "categories"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "product_stock" ADD CONSTRAINT "product_stock_location_id_product_id_fkey" FOREIGN KEY ("location_id", "product_id") REFERENCES "products"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subselections" ADD CONSTRAINT "subselections_location_id_product_id_fkey" FOREIGN KEY ("location_id", "product_id") REFERENCES "products"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subselection_items" ADD CONSTRAINT "subselection_items_location_id_subselection_id_fkey" FOREIGN KEY ("location_id", "subselection_id") REFERENCES "subselections"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "menus" ADD CONSTRAINT "menus_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "menu_categories" ADD CONSTRAINT "menu_categories_location_id_menu_id_fkey" FOREIGN KEY ("location_id", "menu_id") REFERENCES "menus"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "menu_categories" ADD CONSTRAINT "menu_categories_location_id_category_id_fkey" FOREIGN KEY ("location_id", "category_id") REFERENCES "categories"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_methods" ADD CONSTRAINT "payment_methods_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "settlements" ADD CONSTRAINT "settlements_location_id_turn_id_fkey" FOREIGN KEY ("location_id", "turn_id") REFERENCES "turns"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_location_id_payment_method_id_fkey" FOREIGN KEY ("location_id", "payment_method_id") REFERENCES "payment_methods"("location_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_location_id_turn_id_fkey" FOREIGN KEY ("location_id", "turn_id") REFERENCES "turns"("location_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "order_items" ADD CONSTRAINT "order_items_location_id_order_id_fkey" FOREIGN KEY ("location_id", "order_id") REFERENCES "orders"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_location_id_order_id_fkey" FOREIGN KEY ("location_id", "order_id") REFERENCES "orders"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_location_id_payment_method_id_fkey" FOREIGN KEY ("location_id", "payment_method_id") REFERENCES "payment_methods"("location_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sync_jobs" ADD CONSTRAINT "sync_jobs_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_location_id_endpoint_id_fkey" FOREIGN KEY ("location_id", "endpoint_id") REFERENCES "webhook_endpoints"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_location_id_endpoint_id_fkey" FOREIGN KEY ("location_id", "endpoint_id") REFERENCES "webhook_endpoints"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_location_id_event_id_fkey" FOREIGN KEY ("location_id", "event_id") REFERENCES "events"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_location_id_delivery_id_fkey" FOREIGN KEY ("location_id", "delivery_id") REFERENCES "webhook_deliveries"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_location_id_api_key_id_fkey" FOREIGN KEY ("location_id", "api_key_id") REFERENCES "api_keys"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
