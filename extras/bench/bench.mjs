// npm run bench: measures against the goals, compared with a reference server written by hand, or with another checkout (src/).
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { environmentOf, installVersions, versions } from '../../scripts/postgres-versions.mjs';
import { withSource } from '../../scripts/run-source.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({
      log: console.error,
      signal,
      bundles: ['service', 'commands', 'bench'],
    });
    const { version, words } = readWords(process.argv.slice(2));
    if (version !== '18') await installVersions(signal);
    Object.assign(process.env, await environmentOf(version, signal));
    return withSource('extras/bench/src/main.ts', ({ main }) => main(words, signal));
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
