// npm run migration -- <name>: writes the migration that takes the database from the migrations so far to
// prisma/schema.prisma (scripts/migration/main.ts). Needs what `npm run build` installs, but no build that works:
// who writes a migration is in the middle of a change.
import { runScript } from './bootstrap.mjs';
import { withSource } from './run-source.mjs';

await runScript(() => withSource('scripts/migration/main.ts', ({ main }) => main(process.argv.slice(2))));
