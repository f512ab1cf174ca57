import { describe, expect, test } from 'vitest';
import { type Grant, grants, Permission } from '../../packages/api/src/permissions.ts';
import { useApi } from '../support/api.ts';
import { clients } from './clients.ts';
import { calling, refusalIn, send, tools } from './entrance.ts';

const api = useApi();

/** Keys by the work that they are for. */
const kinds: Record<string, Grant[]> = {
  everything: ['*'],
  'reading alone': Permission.options.filter((name) => name.endsWith(':read')),
  orders: ['orders:*', 'customers:read'],
  catalog: ['products:*', 'categories:*', 'catalog:*', 'stock:*', 'menus:read'],
  books: ['payments:read', 'settlements:read', 'turns:read', 'reports:read'],
  nothing: [],
};

describe.each(Object.entries(kinds))('a key for %s', (_, permissions) => {
  const granted = new Set<string>(permissions);
  const [seen, unseen] = [true, false].map((isSeen) =>
    [...tools.values()].filter(
      ({ operation: { meta } }) => (meta.permission === null || grants(granted, meta.permission)) === isSeen,
    ),
  );

  test.each(Object.entries(clients))(
    'sees the tools that it may call, by the client %s',
    async (__, open) => {
      const client = await open(api.url, (await api.make.key({ permissions })).key);
      const { tools: listed } = await client.listTools();
      expect(listed).toMatchObject(seen?.map((tool) => tool.listed) ?? []);
      expect(listed.map(({ name }) => name).sort()).toEqual(seen?.map((tool) => tool.listed.name).sort());
      await client.close();
    },
  );

  test('is refused by every other tool, which names the permission', async () => {
    const { key } = await api.make.key({ permissions });
    for (const { operation, listed } of unseen ?? []) {
      const refusal = refusalIn(await send(api.url, key, calling(listed.name)));
      expect(refusal).toMatchObject({
        code: 'permission_denied',
        reason: 'permission_missing',
        message: `The key lacks the permission ${operation.meta.permission}.`,
      });
    }
  });
});
