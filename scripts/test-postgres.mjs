// npm run test:postgres: npm test on every PostgreSQL that is supported, one after the other; `-- 15` on one of them, and what
// else follows `--` goes to npm test (`-- 15 16 tests/db`, `-- --slow`). 18 is what npm install brings; the others stand in
// tests/postgres-versions by a lockfile of their own.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart, runApart } from './apart.mjs';
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'tests/postgres-versions');
const versions = ['15', '16', '17', '18'];

const words = process.argv.slice(2);
const wanted = versions.filter((version) => words.includes(version));
const rest = words.filter((word) => !versions.includes(word));

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    await installApart(folder, 'PostgreSQL 15, 16 and 17 (50 MB)', signal);
    const failed = [];
    for (const version of wanted.length > 0 ? wanted : versions) {
      if (signal.aborted) return 130;
      console.log(`\nPostgreSQL ${version}`);
      const env = version === '18' ? {} : { COMANDA_TEST_POSTGRES: await programsOf(version, signal) };
      if ((await runNode(['scripts/test.mjs', ...rest], { signal, env })) !== 0) failed.push(version);
    }
    if (failed.length > 0) console.log(`\nfailed on PostgreSQL ${failed.join(', ')}`);
    return failed.length > 0 ? 1 : 0;
  }),
);

/** The module that names a version's programs. Its one install script, which links its libraries, runs here by name. */
async function programsOf(version, signal) {
  const platform = join(folder, `node_modules/postgres-${version}-${process.platform}-${process.arch}`);
  await runApart(platform, process.execPath, ['scripts/hydrate-symlinks.js'], signal);
  return join(platform, 'dist/index.js');
}
