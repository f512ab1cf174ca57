// .ci/run: every part of the checks, one after the other. Tests that failed run once more, alone: what passes then is told
// beside what failed, as long logs are read from their end; the sum of what they counted is the last line.
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** The parts, as the README and CONTRIBUTING name them, and what runs a few of its files again. */
const parts = [
  { words: ['test'], again: ['test', '--', '--no-file-parallelism'] },
  { words: ['run', 'try:recipes', '--', '--short'] },
  { words: ['run', 'test:slow'], again: ['test', '--', '--no-file-parallelism'] },
  { words: ['run', 'test:bundlers'] },
  { words: ['run', 'test:browser'], again: ['run', 'test:browser', '--'] },
  { words: ['run', 'test:tools'] },
];

/** More files than these are no accident. */
const mostAgain = 4;
/** Lines of a failure that are shown again: the test, and the first of what it says. */
const linesOfFailure = 12;

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
  const tests = new Set(output.split('\n').filter((line) => line.startsWith(' FAIL ')));
  const files = new Set([...tests].flatMap((line) => /tests\/\S+\.test\.ts/.exec(line) ?? []));
  if (tests.size !== failed || files.size > mostAgain) return false;
  console.log(`\nonce more, alone: ${[...files].join(' ')}`);
  return (await run([...again, ...files])).failed === 0;
}

/** What a part counted in its last line; one that died, or failed without counting a failure, counts as one. */
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
    child.on('close', (code) => {
      const [, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\n$/.exec(tail) ?? [];
      resolve({
        passed: Number(passed),
        failed: code === 0 ? Number(failed) : Math.max(Number(failed), 1),
        output: stripVTControlCharacters(output.join('')),
      });
    }),
  );
}

/** The check, when it failed, and the beginnings of the failures in vitest's output, without the lines of what passed. */
function failuresIn(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const starts = lines.flatMap((line, at) => (line.startsWith(' FAIL ') ? [at] : []));
  return [
    ...lines.filter((line) => line.startsWith('npm run check failed')),
    ...starts.flatMap((start) => lines.slice(start, start + linesOfFailure)),
  ];
}
