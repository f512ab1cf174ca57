// npm run test:tools: the tools that integrators feed the OpenAPI documents to, on the documents and the service of today.
// They stand in tests/tools by a lockfile of their own.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart } from './apart.mjs';
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'tests/tools');

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    await installApart(folder, 'the tools of tests/tools (the first time takes a minute)', signal);
    return runNode(['scripts/test.mjs', 'tests/tools'], { signal, env: { COMANDA_TOOLS: 'yes' } });
  }),
);
