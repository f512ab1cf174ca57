// Preloaded into a process by tests: writes to the file STOPS what kept the main thread at work for 15 ms or longer without
// a turn of the event loop. CPU time of that thread, so that other work on the machine does not count. Linux only.
import { appendFileSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const leastMs = 15;

if (isMainThread && process.env.STOPS !== undefined) {
  // Of a process the kernel shows the first thread: CPU time in nanoseconds, and more.
  const figures = openSync('/proc/self/schedstat');
  const buffer = Buffer.alloc(64);
  const cpuMs = () => Number.parseInt(buffer.latin1Slice(0, readSync(figures, buffer, 0, 64, 0)), 10) / 1e6;
  let before = { at: Date.now(), cpu: cpuMs() };
  // A timer is due in every turn: pieces of work with a turn between them are stops of their own.
  setInterval(() => {
    const now = { at: Date.now(), cpu: cpuMs() };
    const ms = now.cpu - before.cpu;
    if (ms >= leastMs) appendFileSync(process.env.STOPS, `${before.at} ${now.at} ${ms}\n`);
    before = now;
  }, 1).unref();
}
