-- What a settlement says beside its totals: reading it looked at every entry of its turn. Before adjustments there were no tips.
-- AlterTable
ALTER TABLE "settlements" ADD COLUMN     "difference" DECIMAL,
ADD COLUMN     "tips" DECIMAL NOT NULL DEFAULT 0,
ADD CONSTRAINT settlements_tips_check CHECK (
  tips BETWEEN -99999999999999999999.99 AND 99999999999999999999.99 AND tips = round(tips, 2)),
ADD CONSTRAINT settlements_difference_check CHECK (
  difference BETWEEN -99999999999999999999.99 AND 99999999999999999999.99 AND difference = round(difference, 2));
