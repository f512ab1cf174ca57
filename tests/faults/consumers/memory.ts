import { readFileSync } from 'node:fs';

/** The resident memory of a process in MiB, as the kernel counts it. Linux only. */
export function residentMiB(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`no resident size of process ${pid}`);
  return Math.round(Number(kilobytes) / 1_024);
}
