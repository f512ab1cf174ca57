import { again, type Loop, type LoopOptions, repeat, retry, startLoop } from '@comanda/db';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
let loop: Loop | undefined;
afterEach(async () => {
  await loop?.stop();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A loop that notes when its rounds begin. */
function noted(round: LoopOptions['round'], options: Omit<LoopOptions, 'round'> = {}): number[] {
  const begun: number[] = [];
  const since = performance.now();
  loop = startLoop({
    ...options,
    round(signal) {
      begun.push(performance.now() - since);
      return round(signal);
    },
  });
  return begun;
}

const fail = () => Promise.reject(new Error('no'));

describe('a loop', () => {
  it('rests as long as each round says, and before the first one', async () => {
    const rests = [again(10), again(0), again(30), undefined];
    const begun = noted(() => rests.shift(), { firstRestMs: 5 });
    await pass(1_000);
    expect(begun).toEqual([5, 15, 15, 45]);
  });

  it('goes on at once when it is woken, also by what woke it during a round', async () => {
    const begun = noted(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return again(1_000);
    });
    await pass(500);
    loop?.wake();
    await pass(5);
    loop?.wake();
    await pass(100);
    expect(begun).toEqual([0, 500, 510]);
  });

  it('backs off while rounds throw, reports each, and starts over after one that did not', async () => {
    const rounds = [fail, fail, fail, async () => again(7), fail, fail];
    const reported: unknown[] = [];
    const begun = noted(() => rounds.shift()?.(), { failed: (_, next) => reported.push(next) });
    await pass(2_000);
    expect(begun).toEqual([0, 100, 300, 700, 707, 807, 1_007]);
    expect(reported).toEqual([
      { failures: 1, afterMs: 100 },
      { failures: 2, afterMs: 200 },
      { failures: 3, afterMs: 400 },
      { failures: 1, afterMs: 100 },
      { failures: 2, afterMs: 200 },
    ]);
  });

  it('backs off no longer than is said', async () => {
    const begun = noted(fail, { backoff: { firstMs: 50, longestMs: 80 } });
    await pass(300);
    expect(begun).toEqual([0, 50, 130, 210, 290]);
  });

  it('takes a failure after a long life for the first one', async () => {
    const rounds = [
      fail,
      fail,
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 31_000));
        return fail();
      },
    ];
    const begun = noted(() => rounds.shift()?.());
    await pass(40_000);
    expect(begun).toEqual([0, 100, 300, 31_400]);
  });

  it('does not let what woke it during a round that threw shorten the rest after it', async () => {
    let wakes = 3;
    const begun = noted(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (wakes-- > 0) loop?.wake();
      return fail();
    });
    await pass(350);
    expect(begun).toEqual([0, 110, 320]);
  });

  it('waits for the round under way when it is stopped, signals it, and begins no other', async () => {
    let ended = false;
    let signaled = false;
    const begun = noted(async (signal) => {
      signal.addEventListener('abort', () => {
        signaled = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
      ended = true;
      return again(0);
    });
    const stopped = loop?.stop().then(() => ended);
    expect(signaled).toBe(true);
    await pass(50);
    expect(await stopped).toBe(true);
    await pass(50);
    expect(begun).toEqual([0]);
  });

  it('has no rest to end when the round under way at its stop throws', async () => {
    noted(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return fail();
      },
      { backoff: { firstMs: 60_000, longestMs: 60_000 } },
    );
    const stopped = vi.fn();
    void loop?.stop().then(stopped);
    await pass(50);
    expect(stopped).toHaveBeenCalled();
  });

  it('ends its rest when it is stopped, be it after a failure', async () => {
    for (const round of [() => again(60_000), fail]) {
      const begun = noted(round, { backoff: { firstMs: 60_000, longestMs: 60_000 } });
      await pass(1);
      await loop?.stop();
      expect(begun).toEqual([0]);
    }
  });
});

it('repeats until there is a result, and passes on what a round throws', async () => {
  let rounds = 0;
  const result = repeat(() => (++rounds < 3 ? again(10) : rounds));
  await pass(20);
  expect(await result).toBe(3);
  await expect(repeat(fail)).rejects.toThrow('no');
});

it('tries again for as long as its judge says, and gives up with what that throws', async () => {
  const judged: number[] = [];
  const given = retry(fail, (error, failures) => {
    judged.push(failures);
    if (failures === 3) throw error;
    return 10;
  });
  const refused = expect(given).rejects.toThrow('no');
  await pass(20);
  await refused;
  expect(judged).toEqual([1, 2, 3]);
  expect(await retry(async () => 'done', fail)).toBe('done');
});
