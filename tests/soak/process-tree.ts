import { readdirSync, readFileSync } from 'node:fs';
import { waitFor } from '../support/wait.ts';

/** The living processes that `pid` has started. Linux only: read from /proc. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)?.[1]) === pid && isRunning(child));
}

/** Whether there is such a process; one that is dead and not yet taken note of counts as none. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z';
}

/** Whether the process runs the bundle `dist/<name>.js`, with any options of Node. */
export function runsBundle(pid: number, name: string): boolean {
  return readProcess(pid, 'cmdline')
    .split('\0')
    .some((word) => word.endsWith(`/dist/${name}.js`));
}

/** Sends a signal to a process that may be gone. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** Waits until none of them runs. */
export async function gone(pids: readonly number[], timeoutMs: number): Promise<void> {
  await waitFor(`processes ${pids.join()} to be gone`, () => !pids.some(isRunning), {
    timeoutMs,
    intervalMs: 10,
  });
}

/** Resident memory in MiB; undefined when there is no such process. */
export function residentMiB(pid: number): number | undefined {
  const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readProcess(pid, 'status')) ?? [];
  return kB === undefined ? undefined : Number(kB) / 1024;
}

/** Its share of memory in MiB: what several processes share is split among them. */
export function shareMiB(pid: number): number {
  const [, kB = '0'] = /^Pss:\s+(\d+) kB/m.exec(readProcess(pid, 'smaps_rollup')) ?? [];
  return Number(kB) / 1024;
}

// The fields after the name, which may hold blanks and brackets: state, parent, …
function statOf(pid: number): string[] | undefined {
  const text = readProcess(pid, 'stat');
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
