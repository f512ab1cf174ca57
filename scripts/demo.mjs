// npm run demo: the main job, step by step, against a running server.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: ['demo'] }));
  const { main } = await import('../dist/demo.js');
  return main(process.argv.slice(2));
});
