import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Certification } from '../../../packages/api/src/resources/certifications/schema.ts';
import { choosePort } from '../../../packages/embedded/src/port.ts';
import { keyOfErp } from '../../../tests/docs/erp-key.ts';
import { createKey, createLocation } from '../../../tests/support/factories.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { download } from '../../integrator/tests/comanda-mjs.ts';
import { type Connector, type Staff, startTryton, type Tryton } from './tryton.ts';

// The connector of extras/tryton/connector is certified as an ERP. Tryton's people do what a certification waits for.

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const api = usePublishingApi();
const database = 'shop';
let codes: string[];
let tryton: Tryton;
let staff: Staff;
let connector: Connector;
let key: string;

beforeAll(async () => {
  tryton = await startTryton(api.url);
  tryton.copy(database);
  staff = await tryton.startStaff(database);
  const locationId = await createLocation(api.app.database, { sandbox: true });
  const permissions = [
    ...keyOfErp(),
    'certifications:read',
    'certifications:write',
    'sandbox:reset',
  ] as const;
  ({ key } = await createKey(api.app.database, {
    locationId,
    permissions: [...permissions],
    perMinute: 600,
  }));
  expect((await api.rest('POST /v2/sandbox/reset', { key })).status).toBe(200);
  await api.published();
  // The ERP has the articles of the restaurant: an order of others has nothing to ship.
  const { body } = await api.rest<{ data: { external_id?: string; name: string }[] }>(
    'GET /v2/products?limit=200',
    { key },
  );
  const goods = { price: '2.05', tax: '10', category: 'Menu', stock: 1_000 };
  const products = body.data.flatMap(({ external_id: code, name }) =>
    code === undefined ? [] : { code, name, ...goods },
  );
  codes = products.map(({ code }) => code);
  expect(codes.length).toBeGreaterThan(20);
  await staff.ask('set_up', { products });
  connector = await tryton.startConnector({
    database,
    url: api.url,
    key,
    port: await choosePort(tryton.cluster.home, null),
  });
  const stocked =
    'select 1 from comanda_adjustment having count(*) = 0 and (select count(*) from comanda_move) > 21';
  await waitFor('the opening balance', async () => (await tryton.query(database, stocked)).length === 1, {
    timeoutMs: 300_000,
  });
});
afterAll(() => tryton?.remove());

it('the connector passes the certification of an ERP', async () => {
  let over = false;
  const waiting = async () => {
    // Without data a limit is reached: it is asked again.
    const { body } = await api.rest<{ data?: Certification[] }>('GET /v2/certifications?limit=1', { key });
    return body.data?.[0]?.waiting_for;
  };
  const atWork = (async () => {
    let counted = '';
    while (!over) {
      await staff.ask('hand_over');
      const { action, until = '' } = (await waiting()) ?? {};
      // More than twenty articles at once are a batch.
      if (String(action) === 'sync_items' && until !== counted) {
        counted = until;
        await staff.ask('deliver', { codes, quantity: 1 });
      }
    }
  })();
  const { run } = await download({ url: api.url, key: { id: '', key } });
  const ended = await run(['certify', '--role', 'erp']).finally(() => {
    over = true;
  });
  await atWork;
  expect([ended.code, ended.stderr], `${ended.stdout}\n${connector.output()}`).toEqual([
    0,
    expect.any(String),
  ]);
  expect(ended.stdout).toContain('**passed**');
});
