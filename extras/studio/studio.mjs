// npm run studio [-- --as NAME] [--edit] [--port N]: Prisma Studio on the running database, loopback only.
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { withSource } from '../../scripts/run-source.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    return withSource('extras/studio/src/main.ts', ({ main }) =>
      main(process.argv.slice(2), process.env, signal),
    );
  }),
);
