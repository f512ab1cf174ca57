-- Of the catalog's text at its last version: the same text keeps the version. Earlier versions have none, and processes of the version before write none.
ALTER TABLE "internal"."catalog_versions" ADD COLUMN "digest" TEXT COLLATE "C";
