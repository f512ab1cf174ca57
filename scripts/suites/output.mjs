// The output of a run of npm test, read again: its counts, its failures, and the files that are worth a second run.
import { stripVTControlCharacters } from 'node:util';

/** More files than these are no accident. */
const mostAgain = 4;
/** Lines of a failure that are shown again: the test, and the first of what it says. */
const linesOfFailure = 12;

/**
 * The counts of a run in its last line. One that died, or failed without counting a failure, counts as one
 * failure.
 * @param {string} output @param {number | null} code its exit code
 */
export function countsOf(output, code) {
  const [, passed = 0, failed = 1] = /(\d+) passed, (\d+) failed\n$/.exec(output) ?? [];
  return {
    passed: Number(passed),
    failed: code === 0 ? Number(failed) : Math.max(Number(failed), 1),
  };
}

/** The check, when it failed, and the beginnings of the failures, without the lines of what passed. @param {string} output */
export function failuresIn(output) {
  const lines = linesOf(output);
  const starts = lines.flatMap((line, at) => (line.startsWith(' FAIL ') ? [at] : []));
  return [
    ...lines.filter((line) => line.startsWith('npm run check failed')),
    ...starts.flatMap((start) => lines.slice(start, start + linesOfFailure)),
  ];
}

/**
 * The few files whose tests failed; none when there are many, or when anything but a test failed.
 * @param {string} output @param {number} failed
 */
export function fewFailedFiles(output, failed) {
  const tests = new Set(linesOf(output).filter((line) => line.startsWith(' FAIL ')));
  const files = new Set(
    [...tests].flatMap((line) => /(?:extras\/\w+\/)?(?:tests|journeys)\/\S+\.test\.ts/.exec(line) ?? []),
  );
  return tests.size !== failed || files.size > mostAgain ? [] : [...files];
}

/** @param {string} output */
const linesOf = (output) => stripVTControlCharacters(output).split('\n');
