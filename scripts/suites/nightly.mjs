// npm test -- --nightly [--hours 2]: the suites that are too long for every change or need other tools. A run that was stopped
// goes on after the last suite that was green at this commit. `--hours`: the soak takes so long, and nothing else runs.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../bootstrap.mjs';
import { groups } from '../build.mjs';
import { withSource } from '../run-source.mjs';
import { missingFor, runSuite } from './command.mjs';
import { suiteNamed, suites } from './table.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** By the name of a suite: the commit at which it was last green. */
const recordFile = join(root, 'tests/nightly.json');
const limitMs = 3_600_000;

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const readRecord = () => JSON.parse(readFileSync(recordFile, 'utf8'));

/** The suites that depend on a file that differs from where they were last green. */
export function touched() {
  // The bundle of `integrator` has the name of another.
  const { integrator: _, ...others } = groups;
  const bundles = Object.assign({}, ...Object.values(others));
  return withSource('scripts/suites/touched.ts', ({ touchedSuites }) =>
    touchedSuites(root, bundles, readRecord()),
  );
}

/** Gives the exit code. @param {readonly string[]} words @param {AbortSignal} signal */
export async function run([word, hours], signal) {
  await bootstrap({ log: console.error, signal, bundles: [] });
  if (word === '--hours') {
    process.env.COMANDA_MINUTES = String(60 * Number(hours));
    const { failed } = await runSuite(suiteNamed('soak'), [], signal);
    return failed === 0 ? 0 : 1;
  }
  const commit = committed();
  if (commit === undefined)
    console.log('There are changes that are not committed: what is green is not recorded.');
  const timed = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const total = { passed: 0, failed: 0 };
  const lines = [];
  for (const suite of suites.filter(({ runs }) => runs === 'touched' || runs === 'night')) {
    if (commit !== undefined && readRecord()[suite.name] === commit) {
      lines.push(`${suite.name}: was green at this commit`);
      continue;
    }
    const missing = missingFor(suite);
    if (missing.length > 0) {
      lines.push(`${suite.name}: could not run: apt-get install ${missing.join(' ')}`);
      continue;
    }
    if (timed.aborted) {
      lines.push(`${suite.name}: out of time`);
      total.failed += 1;
      continue;
    }
    const { passed, failed, failures } = await runSuite(suite, [], timed);
    total.passed += passed;
    total.failed += failed;
    lines.push(`${suite.name}: ${passed} passed, ${failed} failed`, ...failures);
    if (failures.length === 0) noteGreen(suite.name);
  }
  console.log(`\n${lines.join('\n')}\n\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

/** Records that a suite is green at this commit; nothing where there are changes, or no history. @param {string} name */
export function noteGreen(name) {
  const commit = committed();
  if (commit === undefined) return;
  writeFileSync(recordFile, `${JSON.stringify({ ...readRecord(), [name]: commit }, null, 2)}\n`);
}

/** The commit that this tree is; undefined where there are changes, or no history. */
function committed() {
  try {
    const changes = git('status', '--porcelain', '--', ':!tests/nightly.json', ':!tests/durations.json');
    return changes === '' ? git('rev-parse', 'HEAD').trim() : undefined;
  } catch {
    return undefined;
  }
}
