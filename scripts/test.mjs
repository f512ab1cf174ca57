// npm test: makes the clone runnable, checks it, runs the tests on a PostgreSQL of their own, but for the slow ones, which
// `--slow` runs (npm run test:slow), or one half of them with `--half=waiting` or `--half=pressure`. What follows `--` goes
// to vitest (`npm test -- tests/api`): such a run takes what it names, slow or not, and leaves the check out; `--watch`
// stays, and runs again what an edit touches.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';
import { groups } from './build.mjs';

await runScript(() => withSignals(test));
process.exit();

async function test(signal) {
  const slow = process.argv.includes('--slow');
  const watching = process.argv.includes('--watch');
  const half = process.argv.find((word) => word.startsWith('--half='))?.slice('--half='.length);
  const selection = process.argv.slice(2).filter((word) => !/^--(slow|watch|half=.*)$/.test(word));
  await bootstrap({ log: console.error, signal, bundles: Object.keys(groups) });
  const halves = half === undefined ? ['waiting', 'pressure'] : [half];
  const parts = selection.length > 0 ? [''] : slow ? halves : ['quick'];
  const isChecked =
    !parts.includes('quick') || watching || (await runNode(['scripts/check.mjs'], { signal })) === 0;
  if (!isChecked) console.error('\nnpm run check failed: it counts as one failed test\n');
  const total = { passed: 0, failed: isChecked ? 0 : 1 };
  for (const part of parts) {
    const { passed, failed } = await runTests({ selection, part, watching }, signal);
    total.passed += passed;
    total.failed += failed;
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

/** What vitest counted; when it failed without counting a failure, or died, that counts as one. */
async function runTests({ selection, part, watching }, signal) {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-tests-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(directory, 0o711);
  const run = join(directory, 'run');
  const summary = join(directory, 'summary.json');
  try {
    const code = await runNode(['node_modules/vitest/vitest.mjs', watching ? 'watch' : 'run', ...selection], {
      signal,
      env: { COMANDA_TEST_DIRECTORY: run, COMANDA_TEST_SUMMARY: summary, COMANDA_TEST_PART: part },
    });
    const { passed, failed } = existsSync(summary)
      ? JSON.parse(readFileSync(summary, 'utf8'))
      : { passed: 0, failed: 1 };
    return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
  } finally {
    killNoted(join(run, 'processes'));
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends what a killed vitest could not end itself: its database and the processes of its tests. */
function killNoted(folder) {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
