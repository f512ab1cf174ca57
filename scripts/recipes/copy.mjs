// A copy of the tree in which a recipe is tried. It has packages by links, and shares nothing that is written.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

const apart = new Set(['.git', '.data', 'node_modules', 'dist']);

/** Copies the tree. @param {string} source @param {string} copy */
export function copyTree(source, copy) {
  for (const name of readdirSync(source))
    if (!apart.has(name))
      cpSync(join(source, name), join(copy, name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !/(docs\/site|tests\/tools)\/node_modules$/.test(path),
      });
  const modules = join(copy, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(source, 'node_modules'))) {
    const from = join(source, 'node_modules', name);
    // Our own packages are links to their folders, which are the copy's here.
    if (name === '@comanda') cpSync(from, join(modules, name), { recursive: true, verbatimSymlinks: true });
    else if (name === '.comanda-installed') cpSync(from, join(modules, name));
    else if (!name.startsWith('.')) symlinkSync(from, join(modules, name));
  }
}

/**
 * Runs Node in the copy; answers what it printed.
 * @param {string} copy @param {AbortSignal} signal @param {string[]} args @param {Record<string, string>} [env]
 * @throws {Error} with what it printed, when it failed.
 */
export function runIn(copy, signal, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, signal, env: { ...process.env, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`node ${args.join(' ')}\n${output.slice(-4000)}`)),
    );
  });
}

/**
 * Runs tests in the copy; answers how many, and the names of those that failed.
 * @param {string} copy @param {AbortSignal} signal @param {{ files: string[], filter?: string }} part
 */
export async function testIn(copy, signal, { files, filter }) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const words = ['run', ...files, '--reporter=json', `--outputFile=${report}`];
  const args = ['node_modules/vitest/vitest.mjs', ...words, ...(filter === undefined ? [] : ['-t', filter])];
  const printed = await runIn(copy, signal, args, { COMANDA_TEST_PART: '' }).catch((error) => error.message);
  const failures = [];
  let count = 0;
  try {
    for (const { name, message, assertionResults } of JSON.parse(readFileSync(report, 'utf8')).testResults) {
      const ran = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
      count += ran.length;
      const wrong = ran.filter(({ status }) => status === 'failed');
      if (wrong.length === 0 && message) failures.push(`${relative(copy, name)}: ${message}`);
      for (const { fullName, failureMessages } of wrong)
        failures.push(`${relative(copy, name)}: ${fullName}\n${failureMessages.join('\n').slice(0, 600)}`);
    }
  } catch {
    throw new Error(printed);
  }
  return { count, failures };
}
