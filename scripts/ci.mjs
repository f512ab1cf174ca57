// .ci/run: the suites that run for every change, then those that this tree touches (suites/touched.ts), or with `--all` each that
// can be touched. The failures are shown again at the end, as long logs are read from there, with what this machine could not run; the
// sum of the counts is the last line.
import { missingFor, runSuite } from './suites/command.mjs';
import { suites } from './suites/table.mjs';

const total = { passed: 0, failed: 0 };
const failures = [];
const notRun = [];
for (const suite of suites.filter(({ runs }) => runs === 'change')) await count(suite);
// Packages are installed by now.
const { noteGreen, touched } = await import('./suites/nightly.mjs');
const all = process.argv.includes('--all');
for (const suite of all ? suites.filter(({ runs }) => runs === 'touched') : await touched())
  if (await count(suite)) noteGreen(suite.name);
if (notRun.length > 0) console.log(`\nwhat could not run:\n${notRun.join('\n')}`);
if (failures.length > 0) console.log(`\nwhat failed:\n${failures.join('\n')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Runs a suite, and gives whether it ran and nothing failed, not even at first. @param {import('./suites/table.mjs').Suite} suite */
async function count(suite) {
  const missing = missingFor(suite);
  if (missing.length > 0) {
    notRun.push(`${suite.name}: apt-get install ${missing.join(' ')}`);
    return false;
  }
  const outcome = await runSuite(suite);
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  failures.push(...outcome.failures);
  return outcome.failures.length === 0;
}
