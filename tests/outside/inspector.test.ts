import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Grant, grants } from '../../packages/api/src/permissions.ts';
import { inputIn, type Kitchen, openKitchen } from '../contract/kitchen.ts';
import { argumentsFrom, keyKinds, tools } from '../mcp/entrance.ts';
import { useApi } from '../support/api.ts';
import { createKey } from '../support/factories.ts';
import { makeTestFolder } from '../support/folder.ts';
import { placeOrder } from '../support/orders.ts';
import { inspect } from './inspector.ts';

vi.setConfig({ testTimeout: 180_000 });

const api = useApi();
const eras = { legacy: '2025-11-25', modern: '2026-07-28' };
const all = [...tools.values()];
const call = (name: string, args: object = {}) =>
  ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)] as const;

const seenBy = (permissions: readonly Grant[]) =>
  all.filter(
    ({ operation: { meta } }) =>
      meta.permission === null || grants(new Set<string>(permissions), meta.permission),
  );

/** The number of an order that is placed there. */
async function numberOfOrder({ key, product, paymentMethodId }: Kitchen): Promise<number> {
  const place: Pick<typeof api, 'rest'> = { rest: (route, asked) => api.rest(route, { key, ...asked }) };
  const { number } = await placeOrder(place, { productId: product.id, paymentMethodId });
  return number;
}

describe.each(Object.entries(eras))('the inspector in the era %s', (era, protocolVersion) => {
  const asked = ['--protocol-era', era];

  test('connects by HTTP and by comanda.mjs, and reads a guide', async () => {
    const folder = makeTestFolder('inspector');
    const { url, token: key } = api;
    writeFileSync(join(folder, 'comanda.mjs'), await (await fetch(`${url}/docs/comanda.mjs`)).text());
    const program = ['node', join(folder, 'comanda.mjs'), 'mcp'];
    for (const server of [
      { url, key },
      { program, env: { COMANDA_URL: url, COMANDA_KEY: key } },
    ]) {
      const { result } = await inspect(server, ...asked, '--method', 'initialize');
      expect(result).toMatchObject({ protocolVersion, serverInfo: { name: 'comanda' } });
      const uri = 'comanda://guides/orders';
      const read = await inspect(server, ...asked, '--method', 'resources/read', '--uri', uri);
      expect(read.result).toMatchObject({ contents: [{ uri, text: expect.stringMatching(/^# /) }] });
      const listed = await inspect(server, ...asked, ...call('limits_get'));
      expect(listed.result).toMatchObject({ structuredContent: { data: { permissions: ['*'] } } });
    }
  });

  test.each(Object.entries(keyKinds))('lists what a key sees: for %s', async (_, permissions) => {
    const { key } = await api.make.key({ permissions });
    // Strict: a schema that some clients cannot read is an error.
    const method = ['--method', 'tools/list', '--strict'];
    const { code, result, stderr } = await inspect({ url: api.url, key }, ...asked, ...method);
    expect(code, stderr).toBe(0);
    expect(result.tools).toEqual(seenBy(permissions).map(({ listed }) => listed));
  });
});

describe('the inspector calls', () => {
  const calls = Object.entries(keyKinds).flatMap(([kind, permissions]) =>
    seenBy(permissions).map(({ operation, listed: { name } }, index) => ({
      ...{ name, kind, permissions, operation },
      era: Object.keys(eras)[index % 2] ?? '',
    })),
  );

  test.each(calls)('$name, by a key for $kind', async ({ name, permissions, operation, era }) => {
    const kitchen = await openKitchen(api);
    const input = operation.routes.length > 0 ? await inputIn(kitchen, operation) : {};
    if (name === 'order_story') Object.assign(input, { number: await numberOfOrder(kitchen) });
    const { key } = await createKey(api.app.database, { locationId: kitchen.locationId, permissions });
    const { code, result } = await inspect(
      { url: api.url, key },
      ...['--protocol-era', era, ...call(name, argumentsFrom(input))],
    );
    expect(result).toMatchObject({ structuredContent: { data: expect.anything() } });
    expect(code).toBe(0);
  });

  test('what a key lacks the permission for, and exits with 5', async () => {
    const { key } = await api.make.key({ permissions: ['orders:read'] });
    // The inspector lists first, and calls no tool that is not in the list.
    await expect(inspect({ url: api.url, key }, ...call('products_delete'))).rejects.toThrow(
      /tool_not_found/,
    );
    const { code, result } = await inspect({ url: api.url, key }, ...call('orders_get', { id: 'none' }));
    expect(code).toBe(5);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { reason: 'not_found' } } });
  });
});
