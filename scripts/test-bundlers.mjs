// npm run test:bundlers: the built client through webpack, Vite and esbuild, in an edge runtime, and beside the oldest and
// the newest tRPC that React takes. What that needs is installed in tests/bundlers by lockfiles of its own.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart } from './apart.mjs';
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    for (const name of ['floor', 'newest'])
      await installApart(
        join(root, 'tests/bundlers', name),
        `the bundlers, with the ${name} of tRPC`,
        signal,
      );
    return runNode(['scripts/test.mjs', 'tests/bundlers'], { signal, env: { COMANDA_BUNDLERS: 'yes' } });
  }),
);
