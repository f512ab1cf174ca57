import { readdirSync, readFileSync } from 'node:fs';

/** The processes that this one started and that still live. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid);
}

/** Whether it lives; a zombie does not. */
export const isRunning = (pid: number): boolean => {
  const state = readStat(pid)?.[0];
  return state !== undefined && state !== 'Z';
};

/** The time that a process, its children, and those that ended have had of the processor, in milliseconds. */
export function processorMs(pid: number): number {
  // User, system, and the same of children that were waited for; in ticks of 10 ms.
  const ticks = [pid, ...childrenOf(pid)].flatMap((id) => readStat(id)?.slice(11, 15) ?? []);
  return ticks.reduce((sum, tick) => sum + Number(tick), 0) * 10;
}

function parentOf(pid: number): number | undefined {
  const fields = readStat(pid);
  return fields === undefined ? undefined : Number(fields[1]);
}

function readStat(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}
