-- What an order carries beside its lines, and the drawer of a turn. Columns without a default: no row is rewritten.
-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "adjustments" JSONB,
ADD COLUMN     "customer_email" TEXT COLLATE "C",
ADD COLUMN     "customer_name" TEXT COLLATE "C",
ADD COLUMN     "customer_phone" TEXT COLLATE "C",
ADD COLUMN     "customer_tax_id" TEXT COLLATE "C",
ADD COLUMN     "delivery_city" TEXT COLLATE "C",
ADD COLUMN     "delivery_country" TEXT COLLATE "C",
ADD COLUMN     "delivery_lines" TEXT COLLATE "C",
ADD COLUMN     "delivery_note" TEXT COLLATE "C",
ADD COLUMN     "delivery_postal_code" TEXT COLLATE "C",
ADD COLUMN     "guests" INTEGER,
ADD COLUMN     "note" TEXT COLLATE "C",
ADD COLUMN     "promised_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "turns" ADD COLUMN     "counted" DECIMAL,
ADD COLUMN     "starting_cash" DECIMAL,
ADD CONSTRAINT turns_counted_check CHECK (counted BETWEEN 0 AND 9999999999.99 AND counted = round(counted, 2)),
ADD CONSTRAINT turns_starting_cash_check CHECK (starting_cash BETWEEN 0 AND 9999999999.99 AND starting_cash = round(starting_cash, 2));

-- AlterTable
ALTER TABLE "webhook_endpoints"
  DROP CONSTRAINT webhook_endpoints_include_check,
  ADD CONSTRAINT webhook_endpoints_include_check CHECK (
    include IN ('{}', '{snapshot}', '{customer}', '{snapshot,customer}', '{customer,snapshot}'));
