import { type Place, postmasterOf } from './place.ts';
import { trimServerLog } from './server-log.ts';

const lookMs = 500;
const backoffMs = { first: 500, most: 15_000 };

/**
 * Calls `relaunch` whenever the server of `place` is gone, until it succeeds; between failures it waits longer each
 * time. Meanwhile it keeps the server's log small. The answer ends the watch, after an attempt under way.
 */
export function watchServer(
  place: Place,
  relaunch: () => Promise<unknown>,
  log: (line: string) => void,
): () => Promise<void> {
  let attempt: Promise<void> | undefined;
  let failures = 0;
  let notBefore = 0;

  const tryAgain = async () => {
    if (failures === 0) log('the database died: starting it again');
    try {
      await relaunch();
      failures = 0;
      log('the database runs again');
    } catch (error) {
      const waitMs = Math.min(backoffMs.first * 2 ** failures, backoffMs.most);
      failures += 1;
      notBefore = performance.now() + waitMs;
      const reason = error instanceof Error ? error.message : String(error);
      log(`the database cannot be started, next attempt in ${waitMs / 1_000} s: ${reason}`);
    }
  };
  const timer = setInterval(() => {
    if (attempt !== undefined) return;
    trimServerLog(place);
    if (performance.now() < notBefore || postmasterOf(place) !== null) return;
    attempt = tryAgain().finally(() => {
      attempt = undefined;
    });
  }, lookMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await attempt;
  };
}
