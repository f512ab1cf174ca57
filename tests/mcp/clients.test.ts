import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { clients } from './clients.ts';

const api = useApi();

test.each(Object.entries(clients))('a client lists, calls and reads: %s', async (name, open) => {
  const client = await open(api.url, api.token);
  expect(client.revision).toBe(name.includes('newest') ? '2026-07-28' : '2025-11-25');
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(40);
  const { structuredContent, content } = await client.callTool({ name: 'products_list', arguments: {} });
  expect(structuredContent).toMatchObject({ data: [], pagination: { limit: 10, offset: 0 } });
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  const { resources } = await client.listResources();
  const uri = 'comanda://guides/orders';
  expect(resources).toContainEqual(expect.objectContaining({ uri, name: 'orders' }));
  const { contents } = await client.readResource({ uri });
  expect(contents).toMatchObject([{ uri, text: expect.stringMatching(/^# /) }]);
  await client.close();
});
