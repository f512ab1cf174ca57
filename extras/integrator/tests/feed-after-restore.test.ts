import { randomUUID } from 'node:crypto';
import { followEvents, type PublishedEvent } from '@comanda/client';
import { expect, it } from 'vitest';
import { diagnose } from '../../../packages/api/src/doctor/doctor.ts';
import { useHand } from '../../../tests/support/by-hand.ts';
import { runComanda } from '../../../tests/support/command.ts';
import { startConsumer } from '../../../tests/support/consumer.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { roleUrl } from '../../../tests/support/roles.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { download } from './comanda-mjs.ts';

// The feed that a restore leaves is made by hand here; tests/outside/backup.test.ts restores a real backup.

const api = usePublishingApi();
const hand = useHand(api);

const product = async (name: string) => {
  await api.make.product({ name });
  await api.published();
};
const feed = async (query: string) => {
  const { status, body, headers } = await api.rest<{ data: { id: string; data: { name: string } }[] }>(
    `GET /v2/events?types=product.created&${query}`,
  );
  const names = body.data?.map(({ data }) => data.name);
  return {
    status,
    names,
    ids: body.data?.map(({ id }) => id),
    reason: headers.get('x-error-reason'),
    headers,
  };
};
const settings = () => ({
  DATABASE_URL: api.databaseUrl,
  DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner'),
});

/** Takes the events after one away, as a backup that was made then would not have them; then says that it was restored. */
async function restoreTo(newest: string): Promise<void> {
  await hand.deed(
    'repair: a test',
    'delete from events where location_id = $1 and number > (select number from events where id = $2)',
    [api.locationId, newest],
  );
  const { code, stderr } = await runComanda(settings(), 'restored', '--ahead', '100');
  expect({ code, stderr }).toMatchObject({ code: 0 });
}

it('a cursor that a restore took is refused with its own reason and the time to start from; older ones hold (19.3)', async () => {
  for (const name of ['A', 'B', 'C']) await product(name);
  const { ids: [a = '', b = '', c = ''] = [] } = await feed('limit=200');
  const began = await download({ url: api.url, key: api.key });
  const receiver = await startConsumer();
  const listen = ['listen', '--forward-to', receiver.url, '--types', 'product.created', '--once'];
  expect(await began.run([...listen, '--since', '1h'])).toMatchObject({ code: 0 });
  const seen = receiver.received.length;

  await restoreTo(b);
  await product('D');

  const { checks } = await diagnose({ ...settings(), ENCRYPTION_KEY: 'k'.repeat(32) });
  expect(checks.find(({ name }) => name === 'event feed')).toMatchObject({ outcome: 'ok' });

  const refused = await feed(`after=${c}`);
  expect(refused).toMatchObject({ status: 422, reason: 'cursor_not_restored' });
  const since = refused.headers.get('x-error-since') ?? '';
  expect((await feed(`since=${since}`)).names).toEqual(['B', 'D']);
  expect((await feed(`after=${a}`)).names).toEqual(['B', 'D']);
  expect((await feed(`after=${b}`)).names).toEqual(['D']);
  expect(await feed(`after=${randomUUID()}`)).toMatchObject({ reason: 'unknown_cursor' });

  const stream = await api.rest(`GET /v2/events/stream?after=${c}`);
  expect([stream.status, stream.headers.get('x-error-since')]).toEqual([422, since]);

  await expect(followEvents(api.client(), { after: c }).next()).rejects.toMatchObject({
    data: { reason: 'cursor_not_restored', since },
  });
  const restored: string[] = [];
  const events = followEvents(api.client(), {
    after: c,
    types: ['product.created'],
    everyMs: 10,
    onRestored: (moment) => void restored.push(moment),
  });
  const names: string[] = [];
  for await (const event of events) {
    names.push((event as Extract<PublishedEvent, { type: 'product.created' }>).data.name);
    if (names.length === 2) break;
  }
  expect({ restored, names }).toEqual({ restored: [since], names: ['B', 'D'] });

  const again = await began.run(listen);
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`going on with what happened since ${since}`),
  });
  await waitFor('what the file sends on', () => receiver.received.length === seen + 2);
  await receiver.close();
});

it('a cursor of a location that had no event before the restore begins with all of it', async () => {
  const locationId = await api.make.location();
  const { code, stdout } = await runComanda(
    settings(),
    'restored',
    '--ahead',
    '5',
    '--location',
    locationId,
    '--json',
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    { before: { order: 0, event: 0 }, after: { order: 5, event: 5 } },
  ]);
});
