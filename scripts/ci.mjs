// .ci/run: every part of the checks, one after the other, and the sum of what they counted as the last line.
import { spawn } from 'node:child_process';

/** The parts, as the README and CONTRIBUTING name them. */
const parts = [['test'], ['run', 'test:slow']];

const total = { passed: 0, failed: 0 };
for (const words of parts) {
  const began = performance.now();
  const { passed, failed } = await run(words);
  total.passed += passed;
  total.failed += failed;
  console.log(`npm ${words.join(' ')}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** What a part counted in its last line; one that died, or failed without counting a failure, counts as one. */
function run(words) {
  const child = spawn('npm', words, { stdio: ['inherit', 'pipe', 'inherit'] });
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-1000);
  });
  return new Promise((resolve) =>
    child.on('close', (code) => {
      const [, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\n$/.exec(tail) ?? [];
      resolve({ passed: Number(passed), failed: code === 0 ? Number(failed) : Math.max(Number(failed), 1) });
    }),
  );
}
