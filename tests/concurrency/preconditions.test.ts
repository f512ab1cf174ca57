import { expect, test } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { race, raceAll, statuses, useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const writers = 6;

test('of several changes with the same tag over two servers exactly one is made', async () => {
  const trials = await raceAll('If-Match', 20, async () => {
    const id = await createProduct(two.database, { locationId: two.locationId });
    const read = await two.call(0, `GET /v2/products/${id}`);
    const tag = read.headers.get('etag') ?? '';
    const trial = await race(
      Array.from(
        { length: writers },
        (_, turn) => () =>
          two.call(turn, `PATCH /v2/products/${id}`, {
            body: { name: `of writer ${turn}` },
            headers: { 'if-match': tag },
          }),
      ),
    );
    expect(statuses(trial.answers)).toEqual({ 200: 1, 412: writers - 1 });
    const winner = trial.answers.findIndex(({ status }) => status === 200);
    const after = await two.call(1, `GET /v2/products/${id}`);
    expect(after.body).toMatchObject({ data: { name: `of writer ${winner}` } });
    for (const { headers } of trial.answers) expect(headers.get('etag')).toBe(after.headers.get('etag'));
    return trial;
  });
  expect(trials.some(({ real }) => real)).toBe(true);
});
