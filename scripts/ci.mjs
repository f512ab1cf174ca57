// .ci/run: the suites of it (suites/table.mjs), stage after stage. Tests that failed run once more, alone: their results are
// shown next to the failures, as long logs are read from their end; the sum of their counts is the last line.
import { failuresIn, filesToRunAgain } from './suites/output.mjs';
import { run, runStage, stagesOf } from './suites/stages.mjs';
import { commandOf, suites } from './suites/table.mjs';

// By an exit, so that what is kept of suites in company is shown.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => process.exit(130));

const total = { passed: 0, failed: 0, onlyAlone: 0 };
const failures = [];
for (const stage of stagesOf(suites))
  for (const { suite, command, passed, failed, output, minutes, busy } of await runStage(stage)) {
    const excused = failed > 0 && suite.runsAgain && (await passAlone(suite, failed, output)) ? failed : 0;
    total.passed += passed + excused;
    total.failed += failed - excused;
    total.onlyAlone += excused;
    if (failed > 0)
      failures.push(`${command}${excused > 0 ? ', and passed alone' : ''}`, ...failuresIn(output));
    console.log(`${command}: ${minutes.toFixed(1)} minutes, ${busy.toFixed(0)} % of the cores busy`);
  }
if (failures.length > 0) console.log(`\nwhat failed:\n${failures.join('\n')}`);
if (total.onlyAlone > 0) console.log(`\n${total.onlyAlone} of those that passed did so only alone`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Whether the few tests that failed in company, and nothing but tests, pass with the machine to themselves. */
async function passAlone(suite, failed, output) {
  const files = filesToRunAgain(output, failed);
  if (files.length === 0) return false;
  console.log(`\nonce more, alone: ${files.join(' ')}`);
  const command = commandOf(suite, ['--no-file-parallelism', ...files]);
  return (await run(command)).failed === 0;
}
