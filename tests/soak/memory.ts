import { childrenOf, residentMiB, shareMiB } from './process-tree.ts';
import type { Stage } from './stage.ts';

/** The memory of one role over all its lives, in MiB. */
export interface MemoryRow {
  role: string;
  lives: number;
  /** Once it had run for half a minute, or sooner if it did not live so long. */
  first: number;
  last: number;
  most: number;
}

/** Looks at the memory of every process now and then. */
export interface MemoryWatch {
  rows(): MemoryRow[];
  stop(): void;
}

const lookEveryMs = 5_000;
const warmMs = 30_000;

/** Starts looking. PostgreSQL is all its processes together, with what they share counted once. */
export function watchMemory(stage: Stage): MemoryWatch {
  const rows = new Map<string, MemoryRow & { pid: number; warm: boolean }>();
  const began = performance.now();
  const note = (role: string, pid: number | undefined, mib: number | undefined) => {
    if (pid === undefined || mib === undefined || mib === 0) return;
    const row = rows.get(role) ?? { role, lives: 1, first: mib, last: mib, most: mib, pid, warm: false };
    rows.set(role, row);
    if (row.pid !== pid) row.lives += 1;
    if (!row.warm && performance.now() - began < warmMs) row.first = mib;
    else row.warm = true;
    Object.assign(row, { pid, last: mib, most: Math.max(row.most, mib) });
  };
  const look = () => {
    for (const run of stage.runs) {
      note(`supervisor of the ${run.name}`, run.pid(), residentMiB(run.pid()));
      for (const bundle of ['api', 'worker'] as const) {
        const pid = run.child(bundle);
        const role = bundle === 'api' ? 'API' : bundle;
        note(`${role} of the ${run.name}`, pid, pid === undefined ? undefined : residentMiB(pid));
      }
    }
    const postmaster = stage.postmaster();
    if (postmaster !== undefined) {
      const all = [postmaster, ...childrenOf(postmaster)];
      note(
        'PostgreSQL, all its processes',
        postmaster,
        all.reduce((sum, pid) => sum + shareMiB(pid), 0),
      );
    }
    note('consumer', stage.consumer.pid(), residentMiB(stage.consumer.pid()));
    note('the soak itself', process.pid, residentMiB(process.pid));
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return {
    rows: () => [...rows.values()].map(({ pid, warm, ...row }) => row),
    stop() {
      look();
      clearInterval(timer);
    },
  };
}
