import { describe, expect, it } from 'vitest';
import { highestOf } from '../../packages/api/src/metrics/family.ts';
import { countLocations } from '../../packages/api/src/metrics/noisy-locations.ts';
import { noisiest } from '../../packages/api/src/metrics/table.ts';

const minuteMs = 60_000;
const name = 'comanda_location_requests';

function counterAt() {
  let ms = 7 * minuteMs;
  const counter = countLocations(() => ms);
  const calls = (id: string, count: number) => {
    for (let call = 0; call < count; call += 1) counter.count(id);
  };
  const shown = (...others: ReturnType<typeof counter.family>[]) =>
    highestOf([[counter.family(name)], ...others.map((one) => [one])])
      .flat()
      .flatMap(({ values }) => values.map(({ labels, value }) => [labels.location_id, value]));
  return { counter, calls, shown, pass: (minutes: number) => (ms += minutes * minuteMs) };
}

describe('the locations with most', () => {
  it('are ten, for any number of locations, and the highest of them', () => {
    const { calls, shown } = counterAt();
    for (let location = 1; location <= 40; location += 1) calls(`location ${location}`, location);
    expect(shown()).toEqual(
      Array.from({ length: noisiest.locations }, (_, index) => [`location ${40 - index}`, 40 - index]),
    );
  });

  it('are counted for five minutes, then disappear', () => {
    const { calls, shown, pass } = counterAt();
    calls('early', 3);
    pass(noisiest.minutes - 1);
    calls('late', 2);
    expect(shown()).toEqual([
      ['early', 3],
      ['late', 2],
    ]);
    pass(1);
    expect(shown()).toEqual([['late', 2]]);
    pass(60);
    expect(shown()).toEqual([]);
    calls('late', 1);
    expect(shown()).toEqual([['late', 1]]);
  });

  it('of several processes are added up before they are cut', () => {
    const [one, other] = [counterAt(), counterAt()];
    for (let location = 0; location < 30; location += 1) {
      one.calls(`only one ${location}`, 10);
      other.calls(`only the other ${location}`, 10);
    }
    one.calls('both', 9);
    other.calls('both', 9);
    const all = one.shown(other.counter.family(name));
    expect(all).toHaveLength(noisiest.locations);
    expect(all[0]).toEqual(['both', 18]);
  });

  it('are found among more locations than are kept apart', () => {
    const { calls, shown } = counterAt();
    for (let location = 0; location < 20_000; location += 1) {
      calls(`quiet ${location}`, 1);
      if (location % 20 === 0) calls('noisy', 5);
    }
    const [first] = shown();
    expect(first?.[0]).toBe('noisy');
    // The missing calls are bounded: calls in all, through the locations that are kept.
    expect(Number(first?.[1])).toBeGreaterThanOrEqual(5_000 - 25_000 / 1_000);
  });
});
