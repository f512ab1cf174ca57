// .ci/run: every part of the checks. Parts that mostly wait run side by side. Tests that failed run once more, alone: what passes then is
// shown beside what failed, as long logs are read from their end; the sum of what they counted is the last line.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { countsOf, failuresIn, filesToRunAgain } from './test-output.mjs';

const slow = (half) => ({
  words: ['run', 'test:slow', '--', `--half=${half}`],
  again: ['test', '--', '--no-file-parallelism'],
});

/** The parts, as the README and CONTRIBUTING name them, and what runs a few of its files again. Those of one stage run side by side. */
const stages = [
  [{ words: ['test'], again: ['test', '--', '--no-file-parallelism'] }],
  [slow('waiting'), { words: ['run', 'test:browser'], again: ['run', 'test:browser', '--'] }],
  [slow('pressure')],
  [{ words: ['run', 'try:recipes', '--', '--short'] }],
  [{ words: ['run', 'test:bundlers'] }],
  [{ words: ['run', 'test:tools'] }],
];

const total = { passed: 0, failed: 0, onlyAlone: 0 };
const failures = [];
for (const stage of stages) {
  const idle = idleCores();
  const results = await Promise.all(stage.map((part) => run(part.words, stage.length > 1)));
  const busy = 100 * (1 - idle());
  for (const [index, { words, again }] of stage.entries()) {
    const { passed, failed, output, minutes } = results[index];
    const name = `npm ${words.join(' ')}`;
    const excused =
      failed > 0 && again !== undefined && (await passAlone(again, failed, output)) ? failed : 0;
    total.passed += passed + excused;
    total.failed += failed - excused;
    total.onlyAlone += excused;
    if (failed > 0) failures.push(`${name}${excused > 0 ? ', and passed alone' : ''}`, ...failuresIn(output));
    console.log(`${name}: ${minutes.toFixed(1)} minutes, ${busy.toFixed(0)} % of the cores busy`);
  }
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
  return (await run([...again, ...files], false)).failed === 0;
}

/** Runs a part, shows what it prints, and counts. In company it is shown whole at its end, so that no two are mixed. */
function run(words, inCompany) {
  const began = performance.now();
  const child = spawn('npm', words, { stdio: ['inherit', 'pipe', 'pipe'] });
  const output = [];
  let tail = '';
  const show = (stream) => (text) => {
    output.push(text);
    if (!inCompany) stream.write(text);
  };
  child.stdout.setEncoding('utf8').on('data', show(process.stdout));
  child.stdout.on('data', (text) => {
    tail = (tail + text).slice(-1000);
  });
  child.stderr.setEncoding('utf8').on('data', show(process.stderr));
  return new Promise((resolve) =>
    child.on('close', (code) => {
      if (inCompany) process.stdout.write(output.join(''));
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
