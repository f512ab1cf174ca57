/** How long a process may run, and how long a turn of all of them takes, in milliseconds. */
const runMs = 20;
const turnMs = 100;

/** How many processes fit: each runs while the others rest. */
export const mostSlices = turnMs / runMs;

/**
 * Gives each process a fifth of a core: in turns one of them runs for 20 ms while the others are stopped. So a machine of
 * few cores can show what more cores would bring. The answer lets them run freely again.
 */
export function sliceCores(pids: readonly number[]): () => void {
  if (pids.length > mostSlices) throw new Error(`at most ${mostSlices} processes fit`);
  const signal = (pid: number | undefined, name: 'SIGSTOP' | 'SIGCONT') => {
    try {
      if (pid !== undefined) process.kill(pid, name);
    } catch {
      // It ended by itself.
    }
  };
  for (const pid of pids) signal(pid, 'SIGSTOP');
  let turn = 0;
  const timer = setInterval(() => {
    signal(pids[turn % mostSlices], 'SIGSTOP');
    turn += 1;
    signal(pids[turn % mostSlices], 'SIGCONT');
  }, runMs);
  return () => {
    clearInterval(timer);
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
}
