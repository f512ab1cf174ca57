// npm run studio [-- --as NAME] [--edit] [--port N]: Prisma Studio on the running database, loopback only.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { withSource } from './run-source.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    return withSource('packages/studio/src/main.ts', ({ main }) =>
      main(process.argv.slice(2), process.env, signal),
    );
  }),
);
