import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 200;
/** A build that takes longer hangs. A second build during it costs only time: each build has a folder of its own. */
const longestMs = 10 * 60_000;

/**
 * Runs `work` while no other process does in the same folder, and waits for one that does.
 * @template T
 * @param {string} folder is made when it is missing @param {AbortSignal | undefined} signal ends the wait
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withBuildLock(folder, signal, work) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, '.lock');
  const until = Date.now() + longestMs;
  while (!take(file)) {
    const owner = ownerOf(file);
    if (owner !== undefined && (!isAlive(owner) || Date.now() > until)) rmSync(file, { force: true });
    else await sleep(lookMs, undefined, { signal });
  }
  try {
    return await work();
  } finally {
    if (ownerOf(file) === process.pid) rmSync(file, { force: true });
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Nothing while it is being written or removed. */
function ownerOf(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
