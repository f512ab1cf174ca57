// npm run -s comanda -- <command>: the command line; stdout belongs to the command alone.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

await runScript(async () => {
  // A drill runs the service on its copy.
  const bundles = process.argv[2] === 'drill' ? ['commands', 'service'] : ['commands'];
  await withSignals((signal) => bootstrap({ packages: 'run', log: console.error, signal, bundles }));
  const { main } = await import('../dist/comanda.js');
  return main(process.argv.slice(2));
});
