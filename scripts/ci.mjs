// .ci/run: every part of the checks, one after the other; then what failed, once more, as long logs are read from their
// end; the sum of what they counted is the last line.
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** The parts, as the README and CONTRIBUTING name them. */
const parts = [
  ['test'],
  ['run', 'try:recipes', '--', '--short'],
  ['run', 'test:slow'],
  ['run', 'test:bundlers'],
  ['run', 'test:browser'],
  ['run', 'test:tools'],
];

/** Lines of a failure that are shown again: the test, and the first of what it says. */
const linesOfFailure = 12;

const total = { passed: 0, failed: 0 };
const failures = [];
for (const words of parts) {
  const began = performance.now();
  const { passed, failed, output } = await run(words);
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(`npm ${words.join(' ')}`, ...failuresIn(output));
  console.log(`npm ${words.join(' ')}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
}
if (failures.length > 0) console.log(`\nwhat failed:\n${failures.join('\n')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

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

/** The beginnings of the failures in vitest's output, without the lines of the tests that passed. */
function failuresIn(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const starts = lines.flatMap((line, at) => (line.startsWith(' FAIL ') ? [at] : []));
  return starts.flatMap((start) => lines.slice(start, start + linesOfFailure));
}
