// npm run migration -- <name>: writes the migration that takes the database from the migrations so far to
// prisma/schema.prisma (scripts/migration/main.ts). Needs what `npm run build` installs, but no build that works:
// who writes a migration is in the middle of a change.
import { runScript } from './bootstrap.mjs';

await runScript(async () => {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: new URL('..', import.meta.url).pathname,
    entryPoints: ['scripts/migration/main.ts'],
    outfile: 'dist/migration.js',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
  const { main } = await import('../dist/migration.js');
  return main(process.argv.slice(2));
});
