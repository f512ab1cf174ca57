// npm run docs: writes docs/api.md and docs/errors.md from the tables that the code runs on, and docs/events.md, with the examples of
// the v2 document, from events that a service on a database of its own really publishes. The service starts a thread from dist/. It also
// writes the tables between marks in other documents, from the rows in packages/db/src/tables.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { withSource } from './run-source.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: ['service'] }));
  const files = await withSource('scripts/docs/main.ts', ({ main }) => withSignals(() => main(root)));
  for (const file of files) console.log(`wrote ${file}`);
  return 0;
});
