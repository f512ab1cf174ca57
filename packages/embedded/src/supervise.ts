import { again, startLoop } from '@comanda/db';
import { type Instance, postmasterOf } from './instance.ts';
import { trimServerLog } from './server-log.ts';

const lookMs = 500;
const backoff = { firstMs: 500, longestMs: 15_000 };

/**
 * Calls `relaunch` whenever the server of `instance` is gone, until it succeeds; between failures it waits longer each
 * time. Meanwhile it keeps the server's log small. The answer ends that, after an attempt under way.
 */
export function superviseServer(
  instance: Instance,
  relaunch: () => Promise<unknown>,
  log: (line: string) => void,
): () => Promise<void> {
  let isDown = false;
  const { stop } = startLoop({
    ref: false,
    firstRestMs: lookMs,
    backoff,
    async round() {
      trimServerLog(instance);
      const wasDown = isDown;
      isDown = postmasterOf(instance) === null;
      if (!isDown) return again(lookMs);
      if (!wasDown) log('the database died: starting it again');
      await relaunch();
      log('the database runs again');
      return again(lookMs);
    },
    failed(error, { afterMs }) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`the database cannot be started, next attempt in ${afterMs / 1_000} s: ${reason}`);
    },
  });
  return stop;
}
