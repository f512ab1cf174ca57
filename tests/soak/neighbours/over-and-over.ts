import { setTimeout as sleep } from 'node:timers/promises';
import type { End } from './neighbour.ts';

/** Works in `lanes` until the answer is called, each again as soon as it is done. A refused call is tried again. */
export function overAndOver(lanes: number, work: () => Promise<unknown>): End {
  let open = true;
  const lane = async () => {
    while (open) await work().catch(() => sleep(50));
  };
  const all = Promise.all(Array.from({ length: lanes }, lane));
  return async () => {
    open = false;
    await all;
  };
}
