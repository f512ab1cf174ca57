// A run of vitest with a database and a folder of its own.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../bootstrap.mjs';

/**
 * The counts of vitest; a run that failed without counting a failure, or died, counts as one.
 * @param {{ suite?: import('./table.mjs').Suite, words: readonly string[], watching: boolean,
 *   env: Record<string, string> }} what without a suite the words alone choose
 * @param {AbortSignal} signal
 */
export async function runTests({ suite, words, watching, env }, signal) {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-tests-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(directory, 0o711);
  const run = join(directory, 'run');
  const summary = join(directory, 'summary.json');
  try {
    const code = await runNode(['node_modules/vitest/vitest.mjs', watching ? 'watch' : 'run', ...words], {
      signal,
      env: {
        ...env,
        ...(suite?.trials === undefined ? {} : { COMANDA_TRIALS: suite.trials }),
        COMANDA_TEST_DIRECTORY: run,
        COMANDA_TEST_SUMMARY: summary,
        COMANDA_TEST_SUITE: suite?.name ?? '',
      },
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
