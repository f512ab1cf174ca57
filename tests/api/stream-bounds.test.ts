import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { type OpenStream, openStream } from '../support/sse.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi(() => ({ live: { perKey: 2, perLocation: 3, perProcess: 5 } }));

const newKey = async (locationId: string) => (await api.make.key({ locationId })).key;
const open = (key: string) => openStream(api.url, key, '/v2/events/stream');

/** The refusal of one stream more than the limit; once one is closed there is room again. */
async function refusedBeside(streams: OpenStream[], key: string): Promise<string> {
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const before = api.app.live.count();
  const refused = await open(key);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  await refused.ended;
  expect(refused.headers.get('x-error-reason')).toBe('too_many_streams');
  streams.pop()?.close();
  await waitFor('its seat', () => api.app.live.count() === before - 1);
  const again = await open(key);
  expect(again.status).toBe(200);
  for (const stream of [...streams, again]) stream.close();
  await waitFor('their seats', () => api.app.live.count() === 0);
  return JSON.parse(refused.text()).error.message;
}

describe('one stream more than may be open is refused until another is closed:', () => {
  it('of a key', async () => {
    const key = await newKey(api.locationId);
    expect(await refusedBeside([await open(key), await open(key)], key)).toMatch(/^The key has 2 streams/);
  });

  it('of a location, by any key', async () => {
    const [one, other] = [await newKey(api.locationId), await newKey(api.locationId)];
    const streams = [await open(one), await open(one), await open(other)];
    expect(await refusedBeside(streams, other)).toMatch(/^The location has 3 streams/);
  });

  it('of a process, of any locations', async () => {
    const keys = await Promise.all([1, 2, 3].map(async () => newKey(await api.make.location())));
    const [one = '', two = '', three = ''] = keys;
    const streams: OpenStream[] = [];
    for (const key of [one, one, two, two, three]) streams.push(await open(key));
    expect(await refusedBeside(streams, three)).toMatch(/^Too many streams are open here/);
  });
});
