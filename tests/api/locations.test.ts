import { expect, it } from 'vitest';
import { z } from 'zod';
import { Location } from '../../packages/api/src/resources/locations/schema.ts';
import { useApi } from '../support/api.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();

it('GET /v2/locations/current returns the location of the key, its times in its own zone', async () => {
  const locationId = await api.make.location({
    name: 'Cantina do Porto',
    timezone: 'America/Sao_Paulo',
    currency: 'BRL',
  });
  const { key } = await api.make.key({ locationId, permissions: ['locations:read'] });
  const answer = await api.rest('GET /v2/locations/current', { key });
  expect(answer.status, answer.text).toBe(200);
  const { data } = parseStrict(z.object({ data: Location }), answer.body);
  expect(data).toMatchObject({
    id: locationId,
    name: 'Cantina do Porto',
    timezone: 'America/Sao_Paulo',
    currency: 'BRL',
  });
  expect(data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  expect(Math.abs(Date.parse(data.created_at) - Date.now())).toBeLessThan(600_000);
  expect(await api.client(key).locations.getCurrent.query()).toEqual(data);
});
