import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names the space in which a pid names one process: this boot of this machine and our namespace of process ids in it
 * (containers have their own). Undefined where the system does not report it, which is anywhere but on Linux.
 */
export function pidSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
