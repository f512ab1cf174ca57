// .ci/run: the suites of it (suites/table.mjs), one after the other. Tests that failed run once more, alone: their results are
// shown next to the failures, as long logs are read from their end; the sum of their counts is the last line.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { countsOf, failuresIn, filesToRunAgain } from './suites/output.mjs';
import { commandOf, suites } from './suites/table.mjs';

const total = { passed: 0, failed: 0, onlyAlone: 0 };
const failures = [];
for (const suite of suites.filter(({ ci }) => ci !== undefined)) {
  const idle = idleCores();
  const command = commandOf(suite, suite.ci);
  const { passed, failed, output, minutes } = await run(command);
  const busy = 100 * (1 - idle());
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

/** Runs a command, shows what it prints, and counts. @param {string} command */
function run(command) {
  const began = performance.now();
  const [npm, ...words] = command.split(' ');
  const child = spawn(npm, words, { stdio: ['inherit', 'pipe', 'pipe'] });
  const output = [];
  let tail = '';
  const show = (stream) => (text) => {
    output.push(text);
    stream.write(text);
  };
  child.stdout.setEncoding('utf8').on('data', show(process.stdout));
  child.stdout.on('data', (text) => {
    tail = (tail + text).slice(-1000);
  });
  child.stderr.setEncoding('utf8').on('data', show(process.stderr));
  return new Promise((resolve) =>
    child.on('close', (code) => {
      const minutes = (performance.now() - began) / 60_000;
      resolve({ ...countsOf(tail, code), output: output.join(''), minutes });
    }),
  );
}

/** Begins to measure; what it gives says which part of the cores' time since then was idle. */
function idleCores() {
  const sum = () => {
    const times = cpus().flatMap(({ times }) => Object.entries(times));
    const of = (names) => times.filter(([name]) => names(name)).reduce((all, [, ms]) => all + ms, 0);
    return { idle: of((name) => name === 'idle'), all: of(() => true) };
  };
  const before = sum();
  return () => {
    const after = sum();
    return (after.idle - before.idle) / (after.all - before.all);
  };
}
