// npm run -s comanda -- <command>: the command line; stdout belongs to the command alone.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal }));
  const { main } = await import('../dist/comanda.js');
  return main(process.argv.slice(2));
});
