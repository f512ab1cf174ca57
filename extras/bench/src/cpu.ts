import { readdirSync, readFileSync } from 'node:fs';

/** CPU time in milliseconds, or microseconds where it says so, by who used it. */
export type Cpu = Record<'api' | 'postgres' | 'worker', number>;

/** CPU time that a process with one thread has used, in milliseconds, to the microsecond. 0 when it has ended. Linux only, as all here. */
function threadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** CPU time of a process, of all threads that it has now, in milliseconds. */
export function processMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadMs(Number(thread)), 0);
}

/** CPU time of a PostgreSQL server in milliseconds: to the microsecond while its processes live, to 10 ms for those that have ended. */
export function serverMs(postmaster: number): number {
  const [ended, endedInKernel] = statOf(postmaster)?.slice(13, 15).map(Number) ?? [];
  // A tick is 10 ms on every Linux that Node runs on.
  const own = ((ended ?? 0) + (endedInKernel ?? 0)) * 10;
  return own + [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + threadMs(pid), 0);
}

/** The processes that a process has started and that live. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)?.[1]) === pid);
}

/** The same, and those that these have started. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The command line of a process, its words apart by blanks; empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Memory of processes in MiB; what they share is counted once. */
export function memoryMiB(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

// The fields after the name, which may hold blanks and brackets: state, parent, …
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
