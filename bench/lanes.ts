import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Callers that keep their connections and ask again as soon as they are answered. */
export interface Lanes {
  /** Answers in `ms` from now, and how many of them were no success. */
  count(ms: number): Promise<{ answered: number; failed: number }>;
  close(): Promise<void>;
}

/** Opens the connections one after the other, each with a request, and keeps them busy from then on. */
export async function openLanes(
  count: number,
  { url, paths, key }: { url: string; paths: readonly string[]; key: string },
): Promise<Lanes> {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const headers = { authorization: `Bearer ${key}` };
  let answered = 0;
  let failed = 0;
  let open = true;
  const ask = (path: string) =>
    new Promise<void>((resolve) => {
      const request = get(url + path, { agent, headers }, (answer) => {
        answered += 1;
        if (answer.statusCode !== 200) failed += 1;
        answer.resume().on('end', resolve);
      });
      request.on('error', () => {
        if (open) failed += 1;
        resolve();
      });
    });
  const lane = async (index: number) => {
    for (let turn = index; open; turn += 1) await ask(paths[turn % paths.length] ?? '/');
  };
  const lanes: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    lanes.push(lane(index));
    await sleep(20);
  }
  return {
    async count(ms) {
      const before = { answered, failed };
      const began = performance.now();
      await sleep(ms);
      const scale = ms / (performance.now() - began);
      return { answered: (answered - before.answered) * scale, failed: failed - before.failed };
    },
    async close() {
      open = false;
      await Promise.all(lanes);
      agent.destroy();
    },
  };
}
