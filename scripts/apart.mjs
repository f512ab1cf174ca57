// Folders with a package.json and a lockfile of their own, outside of the workspace: what they hold is installed when a
// script asks for it, and never by npm start.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './bootstrap.mjs';

/**
 * Whether what the package-lock.json of a folder names is installed.
 * @param {string} folder
 */
export function isInstalled(folder) {
  const stamp = stampOf(folder);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockedBy(folder);
}

/**
 * Installs what the package-lock.json of a folder names, unless it is there; no install script runs.
 * @param {string} folder @param {string} what the message when it is installed @param {AbortSignal} [signal]
 */
export async function installApart(folder, what, signal) {
  if (isInstalled(folder)) return;
  console.error(`installing ${what}`);
  const wanted = lockedBy(folder);
  await runApart(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], signal);
  writeFileSync(stampOf(folder), wanted);
}

/** Runs a command in such a folder. Throws with what it printed when it fails. */
export async function runApart(folder, command, args, signal) {
  const { code, output } = await runCommand(command, args, { signal, cwd: folder });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}

const stampOf = (folder) => join(folder, 'node_modules/.comanda-installed');

const lockedBy = (folder) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
