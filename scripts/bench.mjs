// npm run bench: measures against the goals, compared with a reference server written by hand (bench/).
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { prepareBrowser } from './chromium.mjs';
import { buildSite } from './site/build.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({
      log: console.error,
      signal,
      bundles: ['service', 'commands', 'app', 'integrator', 'bench'],
    });
    const words = process.argv.slice(2);
    // A check is to run where there is nothing but Node and npm.
    if (words.includes('board') || words.includes('site') || !words.some((word) => word !== '--keep'))
      if (await prepareBrowser(signal)) await buildSite({ signal });
    const { main } = await import('../dist/bench.js');
    return main(words, signal);
  }),
);
process.exit();
