import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { grants } from '../../packages/api/src/permissions.ts';
import { inputIn, openKitchen } from '../contract/kitchen.ts';
import { argumentsFrom, keyKinds, tools } from '../mcp/entrance.ts';
import { useApi } from '../support/api.ts';
import { makeTestFolder } from '../support/folder.ts';
import { inspect } from './inspector.ts';

vi.setConfig({ testTimeout: 180_000 });

const api = useApi();
const eras = { legacy: '2025-11-25', modern: '2026-07-28' };
const all = [...tools.values()];
const call = (name: string, args: object = {}) =>
  ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)] as const;

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
    const granted = new Set<string>(permissions);
    const seen = all.filter(
      ({ operation: { meta } }) => meta.permission === null || grants(granted, meta.permission),
    );
    expect(result.tools).toEqual(seen.map(({ listed }) => listed));
  });
});

describe('the inspector calls', () => {
  const served = all.map(({ operation, listed: { name } }, index) => ({ name, operation, index }));

  test.each(served)('$name', async ({ name, operation, index }) => {
    const kitchen = await openKitchen(api);
    const input = operation.routes.length > 0 ? await inputIn(kitchen, operation) : {};
    const era = Object.keys(eras)[index % 2] ?? '';
    const { code, result } = await inspect(
      { url: api.url, key: kitchen.key },
      ...['--protocol-era', era, ...call(name, argumentsFrom(input))],
    );
    if (name === 'order_story') expect(result).toMatchObject({ structuredContent: { error: {} } });
    else expect(result).toMatchObject({ structuredContent: { data: expect.anything() } });
    expect(code).toBe(name === 'order_story' ? 5 : 0);
  });

  test('what a key lacks the permission for, and exits with 5', async () => {
    const { key } = await api.make.key({ permissions: ['orders:read'] });
    // What the key does not see, the inspector does not call.
    await expect(inspect({ url: api.url, key }, ...call('products_delete'))).rejects.toThrow(
      /tool_not_found/,
    );
    const { code, result } = await inspect({ url: api.url, key }, ...call('orders_get', { id: 'none' }));
    expect(code).toBe(5);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { reason: 'not_found' } } });
  });
});
