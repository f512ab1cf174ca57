import { describe, expect, onTestFinished, test } from 'vitest';
import type { Tool } from '../../packages/api/src/http/mcp/tools.ts';
import { grants } from '../../packages/api/src/permissions.ts';
import { useApi } from '../support/api.ts';
import { clients } from './clients.ts';
import { keyKinds, tools } from './entrance.ts';

const api = useApi();

describe.each(Object.entries(keyKinds))('a key for %s', (_, permissions) => {
  const granted = new Set<string>(permissions);
  const isSeen = ({ operation: { meta } }: Tool) =>
    meta.permission === null || grants(granted, meta.permission);
  const seen = [...tools.values()].filter(isSeen);
  const unseen = [...tools.values()].filter((tool) => !isSeen(tool));

  test.each(Object.entries(clients))(
    'sees the tools that it may call, and is refused by every other one: client %s',
    async (__, open) => {
      const client = await open(api.url, (await api.make.key({ permissions })).key);
      onTestFinished(() => client.close());
      const { tools: listed } = await client.listTools();
      expect(listed).toMatchObject(seen.map((tool) => tool.listed));
      expect(listed.map(({ name }) => name).sort()).toEqual(seen.map((tool) => tool.listed.name).sort());
      expect(listed.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
      for (const { listed } of seen) {
        const { structuredContent } = await client.callTool({ name: listed.name, arguments: {} });
        // What it lacks is an argument, or a sandbox.
        expect(structuredContent.error ?? {}, listed.name).not.toMatchObject({
          reason: 'permission_missing',
        });
      }
      for (const { operation, listed } of unseen) {
        const { structuredContent } = await client.callTool({ name: listed.name, arguments: {} });
        expect(structuredContent.error).toMatchObject({
          code: 'permission_denied',
          reason: 'permission_missing',
          message: `The key lacks the permission ${operation.meta.permission}.`,
        });
      }
    },
  );
});
