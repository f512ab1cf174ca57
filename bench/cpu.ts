import { readdirSync, readFileSync } from 'node:fs';

/** CPU time that a process has used, user and system, in milliseconds. Linux only: read from /proc. */
export function processCpuMs(pid: number): number {
  const fields = statOf(pid);
  return fields === undefined ? 0 : ticks(fields, 11, 12);
}

/** The same to the microsecond, of a process with one thread: a connection of PostgreSQL, for one. 0 when it has ended. */
export function threadCpuMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** The same, of all threads that a process has now. */
export function exactCpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadCpuMs(Number(thread)), 0);
}

/** The same, of a PostgreSQL server: to the microsecond while its processes live, to 10 ms for all that have ended. */
export function serverThreadsMs(postmaster: number): number {
  const own = statOf(postmaster);
  if (own === undefined) return 0;
  const living = [postmaster, ...childrenOf(postmaster)].map(threadCpuMs);
  return ticks(own, 13, 14) + living.reduce((sum, ms) => sum + ms, 0);
}

/** CPU time of a PostgreSQL server: its postmaster, the processes it has now, and those that have ended. */
export function serverCpuMs(postmaster: number): number {
  const own = statOf(postmaster);
  if (own === undefined) return 0;
  const living = childrenOf(postmaster).map(processCpuMs);
  return ticks(own, 11, 12, 13, 14) + living.reduce((sum, ms) => sum + ms, 0);
}

/** The processes that a process has started and that live. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)?.[1]) === pid);
}

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
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

// A tick is 10 ms on every Linux that Node runs on.
const ticks = (fields: readonly string[], ...at: number[]) =>
  at.reduce((sum, index) => sum + Number(fields[index]) * 10, 0);
