// npm run bench: measures against the goals, compared with a reference server written by hand (bench/).

import { buildSite } from '../extras/site/src/build.mjs';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { environmentOf, installVersions, versions } from './postgres-versions.mjs';
import { prepareBrowser } from './suites/chromium.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({
      log: console.error,
      signal,
      bundles: ['service', 'commands', 'app', 'integrator', 'bench'],
    });
    const { version, words } = readWords(process.argv.slice(2));
    if (version !== '18') await installVersions(signal);
    Object.assign(process.env, await environmentOf(version, signal));
    // A check is to run where there is nothing but Node and npm.
    if (words.includes('board') || words.includes('site') || !words.some((word) => word !== '--keep'))
      if (await prepareBrowser(signal)) await buildSite({ signal });
    const { main } = await import('../dist/bench.js');
    return main(words, signal);
  }),
);
process.exit();

/** `--postgres 15` runs on that version. @param {string[]} all */
function readWords(all) {
  const at = all.indexOf('--postgres');
  const version = at < 0 ? '18' : (all[at + 1] ?? '');
  if (!versions.includes(version)) throw new Error(`--postgres takes one of ${versions.join(', ')}`);
  return { version, words: at < 0 ? all : all.toSpliced(at, 2) };
}
