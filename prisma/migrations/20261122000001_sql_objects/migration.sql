-- What the applier of prisma/sql has made, and which states of that folder the database was brought to.
-- CreateTable
CREATE TABLE "sql_objects" (
    "identity" TEXT COLLATE "C" NOT NULL,
    "checksum" TEXT COLLATE "C" NOT NULL,
    "definition" TEXT COLLATE "C" NOT NULL,
    "gone_since" TEXT COLLATE "C",
    "applied_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sql_objects_pkey" PRIMARY KEY ("identity")
);

-- CreateTable
CREATE TABLE "sql_releases" (
    "hash" TEXT COLLATE "C" NOT NULL,
    "release" TEXT COLLATE "C" NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sql_releases_pkey" PRIMARY KEY ("hash")
);
