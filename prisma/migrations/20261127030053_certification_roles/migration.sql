-- AlterTable
ALTER TABLE "internal"."certification_calls" ADD COLUMN     "answered" TEXT[] COLLATE "C" DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "certifications" ADD COLUMN     "changed" JSONB,
ADD COLUMN     "role" TEXT COLLATE "C";
