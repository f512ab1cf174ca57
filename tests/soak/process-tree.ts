import { readdirSync, readFileSync } from 'node:fs';
import { waitFor } from '../support/wait.ts';

/** The living processes that `pid` has started. Linux only: read from /proc. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)?.[1]) === pid && isRunning(child));
}

/** Whether the process runs the bundle `dist/<name>.js`, with any options of Node. */
export const runsBundle = (pid: number, name: string): boolean =>
  readProcess(pid, 'cmdline')
    .split('\0')
    .some((word) => word.endsWith(`/dist/${name}.js`));

/** Sends a signal to processes that may be gone, and waits until none of `all` runs. */
export async function signalTo(
  pids: readonly number[],
  signal: NodeJS.Signals,
  all: readonly number[] = pids,
): Promise<void> {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
  await waitFor(`processes ${all.join()} to be gone`, () => !all.some(isRunning), {
    timeoutMs: 40_000,
    intervalMs: 10,
  });
}

/** Its share of memory in MiB: what several processes share is split among them. */
export function memoryOf(pid: number): number {
  const [, kB = '0'] = /^Pss:\s+(\d+) kB/m.exec(readProcess(pid, 'smaps_rollup')) ?? [];
  return Number(kB) / 1024;
}

/** Whether there is such a process; one that is dead and not yet taken note of counts as none. */
function isRunning(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z';
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
