// A copy of the tree in which a recipe is tried. It has packages by links, and shares nothing that is written.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runCommand } from '../bootstrap.mjs';
import { countsOf } from '../suites/output.mjs';

const apart = new Set(['.git', '.data', 'node_modules', 'dist']);

/** Copies the tree. @param {string} source @param {string} copy */
export function copyTree(source, copy) {
  for (const name of readdirSync(source))
    if (!apart.has(name))
      cpSync(join(source, name), join(copy, name), {
        recursive: true,
        verbatimSymlinks: true,
        // A suite that runs meanwhile may install them.
        filter: (path) => !/^(extras\/site\/generator|tests\/.+)\/node_modules$/.test(relative(source, path)),
      });
  for (const folder of ['', 'extras/site/generator']) linkPackages(join(source, folder), join(copy, folder));
}

/**
 * Links the packages of a folder one by one: tools that read .gitignore take a linked node_modules for a file.
 * @param {string} source @param {string} copy
 */
export function linkPackages(source, copy) {
  const from = join(source, 'node_modules');
  if (!existsSync(from)) return;
  const to = join(copy, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    // Our own packages are links to their folders, which are the copy's here.
    if (name === '@comanda' || name === '.comanda-installed')
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else if (!name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  }
}

/**
 * Runs Node in the copy.
 * @param {string} copy @param {AbortSignal} signal @param {string[]} args
 * @throws {Error} with what it printed, when it failed.
 */
export async function runIn(copy, signal, args) {
  const { code, output } = await runCommand(process.execPath, args, { cwd: copy, signal });
  if (code !== 0) throw new Error(`node ${args.join(' ')}\n${output.slice(-40_000)}`);
}

/**
 * Runs npm test in the copy, of some files when `words` name them.
 * @param {string} copy @param {AbortSignal} signal @param {string[]} words
 */
export async function npmTest(copy, signal, words) {
  const run = await runCommand(process.execPath, ['scripts/test.mjs', ...words], { cwd: copy, signal });
  return { ...countsOf(run.output, run.code), output: run.output };
}

/**
 * Runs a file of tests in the copy; the names of those that failed, each with its file and what it says.
 * @param {string} copy @param {AbortSignal} signal @param {string} file
 */
export async function failuresOf(copy, signal, file) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const args = ['node_modules/vitest/vitest.mjs', 'run', file, '--reporter=json', `--outputFile=${report}`];
  const { output } = await runCommand(process.execPath, args, {
    cwd: copy,
    signal,
    env: { COMANDA_TEST_SUITE: '' },
  });
  if (!existsSync(report)) throw new Error(output);
  return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(
    ({ name, message, assertionResults }) => {
      const wrong = assertionResults.filter(({ status }) => status === 'failed');
      if (wrong.length === 0 && message) return [`${relative(copy, name)}: ${message}`];
      return wrong.map(
        ({ fullName, failureMessages }) =>
          `${relative(copy, name)}: ${fullName}\n${failureMessages.join('\n').slice(0, 600)}`,
      );
    },
  );
}
