-- What a settlement says beside its totals: reading it looked at every entry of its turn. Before adjustments there were no tips.
-- AlterTable
ALTER TABLE "settlements" ADD COLUMN     "difference" DECIMAL,
ADD COLUMN     "tips" DECIMAL NOT NULL DEFAULT 0;
