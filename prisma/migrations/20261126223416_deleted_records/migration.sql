-- What was deleted, for lists of changes with include=deleted. The key is the order in which it is read, and removed when it is old.
CREATE TABLE "internal"."deleted_records" (
    "location_id" UUID NOT NULL,
    "resource" TEXT COLLATE "C" NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,
    "id" UUID NOT NULL,

    CONSTRAINT "deleted_records_pkey" PRIMARY KEY ("location_id","resource","deleted_at","id")
);

-- AddForeignKey
ALTER TABLE "internal"."deleted_records" ADD CONSTRAINT "deleted_records_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
