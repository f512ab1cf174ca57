import { spawn, spawnSync } from 'node:child_process';
import { findChromium } from './chromium.mjs';
import { countsOf, failuresIn, fewFailedFiles } from './output.mjs';
import { commandOf } from './table.mjs';

/** The packages of Debian that a suite needs and this machine lacks. @param {import('./table.mjs').Suite} suite */
export const missingFor = ({ programs = [] }) => [
  ...new Set(programs.filter(([program]) => !isHere(program)).map(([, packageName]) => packageName)),
];

/**
 * Runs a suite, shows what it prints, and counts. Tests that failed, of a few files, run once more: those that pass alone count as
 * passed, and are among the failures. A suite that is a program runs once: it would do all of its work again.
 * @param {import('./table.mjs').Suite} suite @param {readonly string[]} [words] @param {AbortSignal} [signal]
 * @returns {Promise<{ passed: number, failed: number, failures: string[] }>} `failures`: lines for the end of a log
 */
export async function runSuite(suite, words = [], signal) {
  const began = performance.now();
  const command = commandOf(suite, words);
  const { passed, failed, output } = await run(command, signal);
  console.log(`${command}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
  if (failed === 0) return { passed, failed, failures: [] };
  const files = signal?.aborted || suite.program !== undefined ? [] : fewFailedFiles(output, failed);
  const passes = async () =>
    (await run(commandOf(suite, [...words, '--no-file-parallelism', ...files]), signal)).failed === 0;
  const excused = files.length > 0 && (await passes()) ? failed : 0;
  const title = excused > 0 ? `${command} (these passed alone)` : command;
  return { passed: passed + excused, failed: failed - excused, failures: [title, ...failuresIn(output)] };
}

/** Runs a command to its end, and counts by its last line. @param {string} command @param {AbortSignal} [signal] */
async function run(command, signal) {
  const [program, ...args] = command.split(' ');
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'], signal });
  let [output, last] = ['', ''];
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      output += text;
      if (name === 'stdout') last = (last + text).slice(-1_000);
      process[name].write(text);
    });
  const code = await new Promise((resolve) => {
    child.on('error', console.error);
    child.on('close', resolve);
  });
  return { ...countsOf(last, code), output };
}

/** Whether a program is on this machine; those of an administrator, too. @param {string} program */
function isHere(program) {
  if (program === 'chromium') return findChromium() !== '';
  const found = spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin; command -v "$1"`, 'sh', program]);
  return found.status === 0;
}
