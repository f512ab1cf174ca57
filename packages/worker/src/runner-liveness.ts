import { again, type Clock, startLoop, systemClock } from '@comanda/db';
import type { WorkerEvents } from 'graphile-worker';

/** Whether a runner still works. */
export interface RunnerLiveness {
  /** Resolves when its pool has ended, or a slot was free and no look for a job was answered for `silenceMs`. */
  over: Promise<'ended' | 'stuck'>;
  stop(): Promise<void>;
}

const looks = 6;

/**
 * A runner may stop working without ending. It keeps the failure of its first question, which tasks there are, and asks
 * no more; while a server starts it rests for up to two minutes; it ends only when its clock has rested. Alive is who
 * gets answers or works on as many jobs as it may. Counted in looks, so that a process that was frozen is not taken for
 * stuck.
 */
export function livenessOf(
  events: WorkerEvents,
  concurrency: number,
  { silenceMs = 15_000, clock = systemClock }: { silenceMs?: number; clock?: Clock } = {},
): RunnerLiveness {
  let silent = 0;
  let active = 0;
  const heard = () => {
    silent = 0;
  };
  events.on('worker:getJob:empty', heard);
  events.on('job:start', () => {
    active += 1;
    heard();
  });
  events.on('job:complete', () => {
    active -= 1;
    heard();
  });
  let isOver: (how: 'ended' | 'stuck') => void = () => {};
  const over = new Promise<'ended' | 'stuck'>((resolve) => {
    isOver = resolve;
  });
  events.on('pool:release', () => isOver('ended'));
  const { stop } = startLoop({
    clock,
    firstRestMs: silenceMs / looks,
    round() {
      silent += 1;
      if (active < concurrency && silent > looks) isOver('stuck');
      return again(silenceMs / looks);
    },
  });
  return { over, stop };
}
