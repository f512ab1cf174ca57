-- Prices that change at a planned moment.
-- CreateTable
CREATE TABLE "price_changes" (
    "location_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT uuid_v7(),
    "effective_at" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL DEFAULT 'planned',
    "category_id" UUID,
    "percent" DECIMAL,
    "prices" JSONB NOT NULL,
    "total_prices" INTEGER NOT NULL,
    "applied_prices" INTEGER NOT NULL DEFAULT 0,
    "skipped_prices" INTEGER NOT NULL DEFAULT 0,
    "request_id" TEXT COLLATE "C",
    "api_key_id" UUID,
    "traceparent" TEXT COLLATE "C" DEFAULT current_traceparent(),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "price_changes_pkey" PRIMARY KEY ("location_id","id"),
    CONSTRAINT price_changes_status_check CHECK (status IN ('planned', 'applied', 'skipped', 'canceled')),
    CONSTRAINT price_changes_percent_check CHECK (percent >= '-100'::numeric AND percent <= 1000 AND percent = round(percent, 2))
);

-- AddForeignKey
ALTER TABLE "price_changes" ADD CONSTRAINT "price_changes_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The sweeper looks for planned rows that are due.
CREATE INDEX price_changes_planned_idx ON price_changes (effective_at) WHERE status = 'planned';
