import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { clients } from './clients.ts';

const api = useApi();

test.each(Object.entries(clients))('a client lists and calls: %s', async (name, open) => {
  const client = await open(api.url, api.token);
  expect(client.revision).toBe(name.includes('newest') ? '2026-07-28' : '2025-11-25');
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(40);
  const { structuredContent, content } = await client.callTool({ name: 'products_list', arguments: {} });
  expect(structuredContent).toMatchObject({ data: [], pagination: { limit: 10, offset: 0 } });
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  await client.close();
});
