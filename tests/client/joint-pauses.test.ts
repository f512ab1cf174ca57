import { expect, it } from 'vitest';
import { pause } from '../../packages/client/src/pause.ts';

const never = () => new AbortController().signal;

/** Lets the clock go on, and nothing else. */
function passMs(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** In which turns of the loop each of them ended. */
async function turnsOf(pauses: Promise<void>[]): Promise<number[]> {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  const turns = await Promise.all(pauses.map((pause) => pause.then(() => turn)));
  isOver = true;
  return turns;
}

it('pauses of one turn that began in other milliseconds ended in other turns, and parted a batch', async () => {
  const pauses = [1, 2, 3].map(() => {
    passMs(3);
    return pause(40, never());
  });
  expect(new Set(await turnsOf(pauses)).size).toBe(1);
});

it('a pause does not end before its time, nor with one of another turn or length', async () => {
  const began = performance.now();
  const first = pause(20, never());
  const longer = pause(60, never()).then(() => performance.now() - began);
  await first;
  expect(performance.now() - began).toBeGreaterThanOrEqual(19);
  const again = performance.now();
  await pause(20, never());
  expect(performance.now() - again).toBeGreaterThanOrEqual(19);
  expect(await longer).toBeGreaterThanOrEqual(59);
});

it('one that is given up ends alone, and the others go on', async () => {
  const ending = new AbortController();
  const ended: string[] = [];
  const given = pause(40, ending.signal).then(() => ended.push('given up'));
  const other = pause(40, never()).then(() => ended.push('other'));
  ending.abort();
  await given;
  expect(ended).toEqual(['given up']);
  await other;
  expect(ended).toEqual(['given up', 'other']);
});

it('one that begins in the turn in which all before it were given up has a time of its own', async () => {
  const ending = new AbortController();
  const given = pause(20, ending.signal);
  ending.abort();
  await Promise.all([given, pause(20, never()), pause(20, AbortSignal.abort())]);
});
