// npm run docs: writes docs/api.md and docs/errors.md from the tables that the code runs on, the parts between marks in other documents,
// and the SQL in prisma/sql/made.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { withSource } from './run-source.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: [] }));
  const files = await withSource('scripts/docs/main.ts', ({ main }) => withSignals(() => main(root)));
  for (const file of files) console.log(`wrote ${file}`);
  return 0;
});
