// npm run soak [-- --minutes 120]: the whole service under load with a kill a minute, held against a ledger.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: ['service', 'soak'] });
    const { main } = await import('../dist/soak.js');
    return main(process.argv.slice(2), signal);
  }),
);
process.exit();
