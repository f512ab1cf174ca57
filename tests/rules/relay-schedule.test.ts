import { expect, test } from 'vitest';
import { createSchedule } from '../../packages/worker/src/relay/schedule.ts';

const waiting = (...locationIds: string[]) =>
  locationIds.map((locationId, n) => ({ locationId, id: String(n) }));

test('whoever waits longest comes first, and whoever was served last comes last', () => {
  const schedule = createSchedule();
  expect(
    schedule.next([
      { locationId: 'young', id: '10' },
      { locationId: 'old', id: '9' },
    ]),
  ).toEqual({ together: ['old', 'young'], alone: [] });
  schedule.served('old');
  expect(schedule.next(waiting('old', 'young', 'new')).together).toEqual(['young', 'new', 'old']);
});

test('what fails is put back for 1, 2, 4 … 60 seconds and comes alone, until it is served', () => {
  let now = 0;
  const schedule = createSchedule(() => now);
  const seconds = Array.from({ length: 8 }, () => {
    schedule.next(waiting('held'));
    return schedule.putBack('held');
  });
  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(schedule.next(waiting('held', 'well'))).toEqual({ together: ['well'], alone: [] });
  now = 60_000;
  expect(schedule.next(waiting('held', 'well'))).toEqual({ together: ['well'], alone: ['held'] });
  schedule.served('held');
  expect(schedule.next(waiting('held')).together).toEqual(['held']);
});

test('nobody serves a location while work on it is under way', async () => {
  const schedule = createSchedule();
  let end = () => {};
  schedule.during(
    'busy',
    new Promise<void>((resolve) => {
      end = resolve;
    }),
  );
  expect(schedule.next(waiting('busy')).together).toEqual([]);
  end();
  await schedule.idle();
  expect(schedule.next(waiting('busy')).together).toEqual(['busy']);
});
