// Preloaded into a process by tests: writes to the file STOPS each stop of the event loop of 15 ms or longer. A stop is the
// CPU time of the main thread between two turns, so other work of the machine does not count. Linux only.
import { appendFileSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const leastMs = 15;

if (isMainThread && process.env.STOPS !== undefined) {
  // The first figure is the CPU time of the main thread, in nanoseconds.
  const figures = openSync('/proc/self/schedstat');
  const buffer = Buffer.alloc(64);
  const cpuMs = () => Number.parseInt(buffer.latin1Slice(0, readSync(figures, buffer, 0, 64, 0)), 10) / 1e6;
  let before = { at: Date.now(), cpu: cpuMs() };
  // The timer is due in every turn, so pieces of work with a turn between them are separate stops.
  setInterval(() => {
    const now = { at: Date.now(), cpu: cpuMs() };
    const ms = now.cpu - before.cpu;
    if (ms >= leastMs) appendFileSync(process.env.STOPS, `${before.at} ${now.at} ${ms}\n`);
    before = now;
  }, 1).unref();
}
