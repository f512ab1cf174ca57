import { expect, test } from 'vitest';
import {
  createSilence,
  createSlots,
  fullWidth,
  type Holder,
  mostPerOrigin,
  mostSilent,
} from '../../packages/worker/src/deliveries/limits.ts';

const origin = 'https://hooks.example.com';

interface Sender extends Holder {
  woken: number;
}

function sender(silent = false): Sender {
  const holder: Sender = {
    inFlight: 0,
    woken: 0,
    isSilent: () => silent,
    wake() {
      holder.woken += 1;
    },
  };
  return holder;
}

const senders = (count: number, silent = false) => Array.from({ length: count }, () => sender(silent));

/** Takes as many slots as there are for each, round after round. */
function fill(slots: ReturnType<typeof createSlots>, holders: readonly Sender[]): (() => void)[] {
  return holders.flatMap((holder) =>
    Array.from({ length: slots.room(origin, holder) }, () => slots.take(origin, holder)),
  );
}

test('hanging endpoints fill an origin as far as each further one still finds a slot', () => {
  const slots = createSlots();
  const hanging = senders(100);
  for (let round = 0; round < 30; round += 1) fill(slots, hanging);
  expect(Math.min(...hanging.map(({ inFlight }) => inFlight))).toBeGreaterThanOrEqual(1);
  expect(hanging[0]?.inFlight).toBe(fullWidth);
  expect(hanging.reduce((sum, { inFlight }) => sum + inFlight, 0)).toBeLessThan(mostPerOrigin);
  expect(slots.room(origin, sender())).toBe(1);
  expect(slots.room('https://other.example.com', sender())).toBe(fullWidth);
});

test('endpoints that do not answer in time have one slot each, and never all of an origin', () => {
  const slots = createSlots();
  const silent = senders(600, true);
  fill(slots, silent);
  fill(slots, silent);
  expect(silent.reduce((sum, { inFlight }) => sum + inFlight, 0)).toBe(mostSilent);
  expect(Math.max(...silent.map(({ inFlight }) => inFlight))).toBe(1);
  const healthy = senders(100);
  fill(slots, healthy);
  expect(healthy.every(({ inFlight }) => inFlight === 1)).toBe(true);
});

test('a returned slot goes to an endpoint without one: those that answer first, then in the order they came', () => {
  const slots = createSlots();
  const silent = senders(mostSilent, true);
  const gaveBack = fill(slots, silent);
  fill(slots, senders(mostPerOrigin - mostSilent));
  const [late, first, second] = [sender(true), sender(), sender()];
  for (const waiting of [late, first, second]) expect(slots.room(origin, waiting)).toBe(0);
  const woken: number[][] = [];
  for (const giveBack of gaveBack.slice(0, 3)) {
    giveBack();
    woken.push([late.woken, first.woken, second.woken]);
    const next = [first, second, late].find((holder) => holder.woken === 1 && holder.inFlight === 0);
    if (next !== undefined) slots.take(origin, next);
  }
  expect(woken).toEqual([
    [0, 1, 0],
    [0, 1, 1],
    [1, 1, 1],
  ]);
});

test('who waits for no slot any more is not woken', () => {
  const slots = createSlots();
  const [giveBack] = fill(slots, senders(mostSilent, true));
  fill(slots, senders(mostPerOrigin - mostSilent));
  const [gone, waiting] = [sender(), sender()];
  slots.room(origin, gone);
  slots.room(origin, waiting);
  slots.forget(origin, gone);
  giveBack?.();
  expect([gone.woken, waiting.woken]).toEqual([0, 1]);
});

test('an endpoint is silent after five time-outs in a row, and until an attempt succeeds', () => {
  const silence = createSilence();
  const note = (ok: boolean, timedOut: boolean) => {
    silence.note('e', { ok, timedOut });
    return silence.isSilent('e');
  };
  expect([1, 2, 3, 4].map(() => note(false, true))).toEqual([false, false, false, false]);
  expect(note(false, false)).toBe(false);
  expect([1, 2, 3, 4, 5].map(() => note(false, true))).toEqual([false, false, false, false, true]);
  expect(note(false, false)).toBe(true);
  expect(note(true, false)).toBe(false);
});
