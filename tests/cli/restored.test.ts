import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { callComanda } from '../support/command.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { roleUrl } from '../support/roles.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

it('after a restore no order number is given twice, and the audit has the gap (operations, F6b)', async () => {
  const { number } = await kitchen.place();
  const settings = { DATABASE_URL: api.databaseUrl, DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner') };
  const refused = await callComanda(settings, 'restored', '--ahead', '0');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('at least 1') });

  const moved = await callComanda(settings, 'restored', '--ahead', '1000', '--json');
  expect(moved, moved.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(moved.stdout)).toContainEqual({
    location_id: api.locationId,
    before: expect.objectContaining({ order: number }),
    after: expect.objectContaining({ order: number + 1000 }),
    since: expect.any(String),
  });
  expect((await kitchen.place()).number).toBe(number + 1001);

  const audit = await callComanda(settings, 'audit', '--location', api.locationId, '--json');
  expect(JSON.parse(audit.stdout)[0]).toMatchObject({
    actor: 'command_line',
    operation: 'locations.restored',
  });
});
