import type { WorkerEvents } from 'graphile-worker';

/** Watches whether a runner still looks for jobs. */
export interface Watch {
  /** Resolves when a slot was free and none has looked for a job for `silenceMs`. */
  stuck: Promise<'stuck'>;
  stop(): void;
}

/**
 * A runner may stop working without ending: its promise then never settles. Alive is what looks for jobs, or
 * works on as many as it may.
 */
export function watchRunner(events: WorkerEvents, concurrency: number, silenceMs = 60_000): Watch {
  let lookedAt = performance.now();
  let active = 0;
  events.on('worker:getJob:start', () => {
    lookedAt = performance.now();
  });
  events.on('job:start', () => {
    active += 1;
  });
  events.on('job:complete', () => {
    active -= 1;
    lookedAt = performance.now();
  });
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<'stuck'>((resolve) => {
    timer = setInterval(() => {
      if (active < concurrency && performance.now() - lookedAt > silenceMs) resolve('stuck');
    }, silenceMs / 12);
  });
  return { stuck, stop: () => clearInterval(timer) };
}
