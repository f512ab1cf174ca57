import { expect, test } from 'vitest';
import { createFairQueue } from '../../packages/worker/src/relay/fair-queue.ts';

const waiting = (...locationIds: string[]) =>
  locationIds.map((locationId, n) => ({ locationId, id: String(n) }));

test('the location that waits longest comes first, and the one served last comes last', () => {
  const queue = createFairQueue();
  expect(
    queue.next([
      { locationId: 'young', id: '10' },
      { locationId: 'old', id: '9' },
    ]),
  ).toEqual({ together: ['old', 'young'], alone: [] });
  queue.served('old');
  expect(queue.next(waiting('old', 'young', 'new')).together).toEqual(['young', 'new', 'old']);
});

test('what fails is put back for 1, 2, 4 … 60 seconds and comes alone, until it is served', () => {
  let now = 0;
  const queue = createFairQueue(() => now);
  const seconds = Array.from({ length: 8 }, () => {
    queue.next(waiting('held'));
    return queue.putBack('held');
  });
  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(queue.next(waiting('held', 'well'))).toEqual({ together: ['well'], alone: [] });
  now = 60_000;
  expect(queue.next(waiting('held', 'well'))).toEqual({ together: ['well'], alone: ['held'] });
  queue.served('held');
  expect(queue.next(waiting('held')).together).toEqual(['held']);
});

test('no worker serves a location while work on it is under way', async () => {
  const queue = createFairQueue();
  let end = () => {};
  queue.during(
    'busy',
    new Promise<void>((resolve) => {
      end = resolve;
    }),
  );
  expect(queue.next(waiting('busy')).together).toEqual([]);
  end();
  await queue.idle();
  expect(queue.next(waiting('busy')).together).toEqual(['busy']);
});
