import { defineConfig } from 'prisma/config';

const url = process.env.DATABASE_URL;

/** Prisma's own tools only; the services read packages/db/src/settings/settings.ts. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url && { datasource: { url } }),
});
