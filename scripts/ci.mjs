// .ci/run: every part of the checks, one after the other. Tests that failed run once more, alone: what passes then is told
// beside what failed, as long logs are read from their end; the sum of what they counted is the last line.
import { spawn } from 'node:child_process';
import { countsOf, failuresIn, filesToRunAgain } from './test-output.mjs';

/** The parts, as the README and CONTRIBUTING name them, and what runs a few of its files again. */
const parts = [
  { words: ['test'], again: ['test', '--', '--no-file-parallelism'] },
  { words: ['run', 'try:recipes', '--', '--short'] },
  { words: ['run', 'test:slow'], again: ['test', '--', '--no-file-parallelism'] },
  { words: ['run', 'test:bundlers'] },
  { words: ['run', 'test:browser'], again: ['run', 'test:browser', '--'] },
  { words: ['run', 'test:tools'] },
];

const total = { passed: 0, failed: 0, onlyAlone: 0 };
const failures = [];
for (const { words, again } of parts) {
  const began = performance.now();
  const { passed, failed, output } = await run(words);
  const name = `npm ${words.join(' ')}`;
  const excused = failed > 0 && again !== undefined && (await passAlone(again, failed, output)) ? failed : 0;
  total.passed += passed + excused;
  total.failed += failed - excused;
  total.onlyAlone += excused;
  if (failed > 0) failures.push(`${name}${excused > 0 ? ', and passed alone' : ''}`, ...failuresIn(output));
  console.log(`${name}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
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
  const child = spawn('npm', words, { stdio: ['inherit', 'pipe', 'pipe'] });
  const output = [];
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    output.push(text);
    tail = (tail + text).slice(-1000);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    process.stderr.write(text);
    output.push(text);
  });
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ ...countsOf(tail, code), output: output.join('') })),
  );
}
