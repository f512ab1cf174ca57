// npm run bench: measures against the goals, beside a reference server written by hand (bench/).
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: ['service', 'bench'] });
    const { main } = await import('../dist/bench.js');
    return main(process.argv.slice(2), signal);
  }),
);
process.exit();
