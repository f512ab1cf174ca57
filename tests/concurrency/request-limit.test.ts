import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { createKey } from '../support/factories.ts';
import { race, statuses, useTwoServers } from './two-servers.ts';

const two = useTwoServers();

const resetOf = ({ headers }: Answer) => Number(headers.get('x-ratelimit-reset'));

describe('over two API servers', { timeout: 120_000 }, () => {
  it.each([1, 7, 60, 250])('a limit of %d a minute never admits one more', async (limit) => {
    for (;;) {
      const { key } = await createKey(two.database, { locationId: two.locationId, perMinute: limit });
      await startEarlyInMinute();
      const { answers } = await race(
        Array.from(
          { length: limit * 2 + 40 },
          (_, turn) => () => two.call(turn, 'GET /v2/locations/current', { key }),
        ),
      );
      // Rolled in the middle: two windows were counted, so this says nothing.
      if (new Set(answers.map(resetOf)).size > 1) continue;
      const counts = statuses(answers);
      console.info(`limit ${limit}: ${answers.length} calls, ${JSON.stringify(counts)}`);
      expect(Object.keys(counts).sort()).toEqual(['200', '429']);
      expect(counts[200]).toBeLessThanOrEqual(limit);
      // With one other process at most 1 %, rounded up, may be refused early.
      expect(counts[200]).toBeGreaterThanOrEqual(limit - Math.ceil(limit / 100));
      return;
    }
  });
});

// A test that starts late in a minute waits for the next: the window must not roll under the race.
async function startEarlyInMinute(): Promise<void> {
  const answer = await two.call(0, 'GET /v2/locations/current');
  const left = resetOf(answer) * 1_000 - Date.now();
  if (left < 5_000) await sleep(left + 50);
}
