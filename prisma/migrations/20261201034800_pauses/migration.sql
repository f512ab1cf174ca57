-- Whether a location takes orders. No row is rewritten.
-- AlterTable
ALTER TABLE "locations" ADD COLUMN     "pause_reason" TEXT COLLATE "C",
ADD COLUMN     "paused" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "paused_until" TIMESTAMPTZ(3),
ADD CONSTRAINT locations_pause_reason_check CHECK (char_length(pause_reason) <= 500),
ADD CONSTRAINT locations_paused_until_check CHECK (is_wire_time(paused_until));
