-- AlterTable
ALTER TABLE "internal"."order_moves" ADD COLUMN     "difference" JSONB;

-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "last_line" INTEGER NOT NULL DEFAULT 0;
