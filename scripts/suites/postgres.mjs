// The suite `postgres`: npm test on every PostgreSQL that is supported, one after the other; `15` runs one of them, and other
// words go to npm test (`15 16 tests/db`, `15 --suite slow`). 18 is what npm install brings; the others are in
// tests/postgres-versions by a lockfile of their own.
import { bootstrap, runNode } from '../bootstrap.mjs';
import { environmentOf, installVersions, versions } from '../postgres-versions.mjs';

/** Gives the exit code. @param {readonly string[]} words @param {AbortSignal} signal */
export async function run(words, signal) {
  const wanted = versions.filter((version) => words.includes(version));
  const rest = words.filter((word) => !versions.includes(word));
  await bootstrap({ log: console.error, signal, bundles: [] });
  await installVersions(signal);
  const failed = [];
  for (const version of wanted.length > 0 ? wanted : versions) {
    if (signal.aborted) return 130;
    console.log(`\nPostgreSQL ${version}`);
    const env = await environmentOf(version, signal);
    if ((await runNode(['scripts/test.mjs', ...rest], { signal, env })) !== 0) failed.push(version);
  }
  if (failed.length > 0) console.log(`\nfailed on PostgreSQL ${failed.join(', ')}`);
  return failed.length > 0 ? 1 : 0;
}
