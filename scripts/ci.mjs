// .ci/run: every part of the checks, one after the other. Tests that failed run once more, alone: what passes then is shown
// beside what failed, as long logs are read from their end; the sum of what they counted is the last line.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { countsOf, failuresIn, filesToRunAgain } from './test-output.mjs';

const slow = (half) => ({
  words: ['run', 'test:slow', '--', `--half=${half}`],
  again: ['test', '--', '--no-file-parallelism'],
});

/** The parts, as the README and CONTRIBUTING name them, and what runs a few of its files again. */
const parts = [
  { words: ['test'], again: ['test', '--', '--no-file-parallelism'] },
  { words: ['run', 'try:recipes', '--', '--short'] },
  slow('waiting'),
  slow('pressure'),
  { words: ['run', 'test:bundlers'] },
  { words: ['run', 'test:browser'], again: ['run', 'test:browser', '--'] },
  { words: ['run', 'test:tools'] },
];

const total = { passed: 0, failed: 0, onlyAlone: 0 };
const failures = [];
for (const { words, again } of parts) {
  const idle = idleCores();
  const { passed, failed, output, minutes } = await run(words);
  const busy = 100 * (1 - idle());
  const name = `npm ${words.join(' ')}`;
  const excused = failed > 0 && again !== undefined && (await passAlone(again, failed, output)) ? failed : 0;
  total.passed += passed + excused;
  total.failed += failed - excused;
  total.onlyAlone += excused;
  if (failed > 0) failures.push(`${name}${excused > 0 ? ', and passed alone' : ''}`, ...failuresIn(output));
  console.log(`${name}: ${minutes.toFixed(1)} minutes, ${busy.toFixed(0)} % of the cores busy`);
}
if (failures.length > 0) console.log(`\nwhat failed:\n${failures.join('\n')}`);
if (total.onlyAlone > 0) console.log(`\n${total.onlyAlone} of those that passed did so only alone`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Whether the few tests that failed in company, and nothing but tests, pass with the machine to themselves. */
async function passAlone(again, failed, output) {
  const files = filesToRunAgain(output, failed);
  if (files.length === 0) return false;
  console.log(`\nonce more, alone: ${files.join(' ')}`);
  return (await run([...again, ...files])).failed === 0;
}

/** Runs a part, shows what it prints, and counts. */
function run(words) {
  const began = performance.now();
  const child = spawn('npm', words, { stdio: ['inherit', 'pipe', 'pipe'] });
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
