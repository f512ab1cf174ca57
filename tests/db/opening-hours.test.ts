import { describe, expect, it } from 'vitest';
import { Location, LocationWithHours } from '../../packages/api/src/resources/locations/schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { refused } from '../support/money.ts';
import { openings } from './openings-made.ts';

const api = useApi();
const hand = useHand(api, { role: 'admin' });

const update = (opening_hours: unknown) =>
  api.client().locations.update.mutate({ id: api.locationId, opening_hours: opening_hours as never });
const read = (query = '?include=hours', headers = {}) =>
  api.rest(`GET /v2/locations/current${query}`, { headers });

describe('is_open', () => {
  // Every five minutes, where the table was made by whole spans.
  it.each(openings)('$name: $zone', async ({ zone, hours, window, moments }) => {
    const changed = await api.sql<{ moment: Date }>`
      select moment from (
        select moment, is_open, lag(is_open) over (order by moment) as before from (
          select moment, is_open(${JSON.stringify(hours)}::jsonb, ${zone}, moment)
          from generate_series(${window[0]}::timestamptz, ${window[1]}::timestamptz - interval '5 minutes', interval '5 minutes') as moment) m) c
      where before <> is_open order by moment`;
    expect(changed.map(({ moment }) => moment.toISOString().replace('.000Z', 'Z'))).toEqual(moments);
  });
});

describe('opening hours', () => {
  const always = [{ day: 'monday', opens: '00:00', closes: '24:00' } as const].flatMap((span) =>
    (['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const).map((day) => ({
      ...span,
      day,
    })),
  );

  it('are set, shown on request without a tag, and taken away', async () => {
    expect(dataOf(await read(), 200, LocationWithHours)).not.toHaveProperty('open_now');
    const before = (await read('')).headers.get('etag');
    await update({ weekly: always, exceptions: [] });
    const answer = await read('', {});
    expect(dataOf(answer, 200, Location)).not.toHaveProperty('opening_hours');
    expect(answer.headers.get('etag')).not.toBe(before);
    for (const headers of [
      {},
      { 'if-none-match': answer.headers.get('etag') ?? '' },
      { 'if-none-match': '*' },
    ]) {
      const shown = await read('?include=hours', headers);
      expect(dataOf(shown, 200, LocationWithHours)).toMatchObject({
        open_now: true,
        opening_hours: { weekly: always, exceptions: [] },
      });
      expect(shown.headers.has('etag')).toBe(false);
    }
    await api.client().locations.pause.mutate({});
    expect(dataOf(await read(), 200, LocationWithHours)).toMatchObject({ paused: true, open_now: true });
    await api.client().locations.resume.mutate();
    await update({ weekly: [], exceptions: [] });
    expect((await api.client().locations.getCurrent.query({ include: ['hours'] })).open_now).toBe(false);
    await update(null);
    expect(dataOf(await read(), 200, LocationWithHours)).not.toHaveProperty('opening_hours');
  });

  const monday = { day: 'monday', opens: '09:00', closes: '17:00' };
  const christmas = { date: '2026-12-25', spans: [] };
  it.each([
    ['weekly', {}],
    ['weekly[0].day', { weekly: [{ ...monday, day: 'lunes' }] }],
    ['weekly[0].opens', { weekly: [{ ...monday, opens: '24:00' }] }],
    ['weekly[0].closes', { weekly: [{ ...monday, closes: '9:00' }] }],
    ['weekly', { weekly: Array.from({ length: 71 }, () => monday) }],
    ['exceptions[1].date', { weekly: [], exceptions: [christmas, christmas] }],
    ['exceptions[0].date', { weekly: [], exceptions: [{ ...christmas, date: '2026-02-30' }] }],
  ])('name what is wrong with them: %s', async (path, hours) => {
    const { code, message } = await refused(update(hours));
    expect([code, message.includes(`opening_hours.${path}: `)]).toEqual(['validation_error', true]);
  });

  it.each([
    '[]',
    '{"weekly": []}',
    '{"weekly": {}, "exceptions": []}',
    '{"weekly": [{"day": "monday", "opens": "9", "closes": "17:00"}], "exceptions": []}',
    '{"weekly": [{"day": "Monday", "opens": "09:00", "closes": "17:00"}], "exceptions": []}',
    '{"weekly": [], "exceptions": [{"date": "2026-12-25"}]}',
    '{"weekly": [], "exceptions": [{"date": "25.12.", "spans": []}]}',
    '{"weekly": [], "exceptions": [], "holidays": true}',
  ])('by hand are refused where no answer could show them: %s', async (hours) => {
    await expect(
      hand.sql`update locations set opening_hours = ${hours}::jsonb where id = ${api.locationId}`,
    ).rejects.toThrow(/locations_opening_hours_check/);
  });
});
