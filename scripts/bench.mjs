// npm run bench: measures against the goals, beside a reference server written by hand (bench/).
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal }));
  const { main } = await import('../dist/bench.js');
  return main(process.argv.slice(2));
});
process.exit();
