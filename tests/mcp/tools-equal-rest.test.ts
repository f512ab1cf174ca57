import { describe, expect, onTestFinished, test } from 'vitest';
import { hasLimit } from '../../packages/api/src/http/mcp/schema.ts';
import { coercions } from '../../packages/api/src/http/rest/query.ts';
import { alike } from '../contract/alike.ts';
import { restEntrance } from '../contract/entrances.ts';
import { inputIn, openKitchen, useKitchen } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { clients, type OpenClient, type ToolClient } from './clients.ts';
import { argumentsFrom, calling, refusalIn, send, tools } from './entrance.ts';

const api = useApi();

const served = [...tools.values()].flatMap(({ operation, listed: { name } }) => {
  const route = operation.routes.find(({ version }) => version === 'v2');
  return route === undefined ? [] : { name, operation, rest: restEntrance(operation, route) };
});

async function listing(open: OpenClient, key: string): Promise<ToolClient> {
  const client = await open(api.url, key);
  onTestFinished(() => client.close());
  await client.listTools();
  return client;
}

describe.each(Object.entries(clients))('by the client %s', (_, open) => {
  test.each(served)('$name answers what REST answers', async ({ name, operation, rest }) => {
    const here = await openKitchen(api);
    const there = await openKitchen(api);
    // The older client checks an answer by what it has listed. Both keys have as many requests behind them.
    const [, client] = await Promise.all([here, there].map(({ key }) => listing(open, key)));
    if (client === undefined) throw new Error('no client');
    const limit = hasLimit(operation) ? { limit: 10 } : {};
    const byRest = await rest.call(api.url, here.key, { ...(await inputIn(here, operation)), ...limit });
    const input = await inputIn(there, operation);
    const { structuredContent, content, isError } = await client.callTool({
      name,
      arguments: argumentsFrom(input),
    });
    expect(isError ?? false, content[0]?.text).toBe(false);
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
    const { data, pagination } = structuredContent;
    const value = operation.isList ? { data, pagination } : data;
    expect(alike(value, there)).toEqual(alike(byRest.value, here));
    expect(JSON.stringify(structuredContent)).not.toMatch(/whsec_|cmd_(live|test)_\w+_/);
    const hasTag = operation.meta.tag !== undefined && byRest.headers.get('etag') !== null;
    expect(structuredContent.etag).toEqual(hasTag ? expect.stringMatching(/^".+"$/) : undefined);
  });
});

describe('what REST refuses, a tool refuses', () => {
  const kitchen = useKitchen(api);

  test.each(served)('an unknown argument of $name', async ({ name, operation }) => {
    const input = argumentsFrom(await inputIn(kitchen, operation));
    const answer = await send(api.url, kitchen.key, calling(name, { ...input, unknown_word: 1 }));
    expect(answer.status).toBe(200);
    expect(answer.body.result?.isError).toBe(true);
    expect(refusalIn(answer)).toMatchObject({
      code: 'validation_error',
      reason: 'unknown_parameter',
      fields: [{ path: 'unknown_word' }],
    });
  });

  const withInput = served.filter(({ operation }) =>
    Object.keys(operation.input.shape).some((field) => field !== 'id' && field !== 'external_id'),
  );

  test.each(withInput)('an unfit argument of $name', async ({ name, operation, rest }) => {
    const valid = await inputIn(kitchen, operation);
    const fields = Object.keys(operation.input.shape).filter((each) => !/^(id|external_id)$/.test(each));
    for (const field of fields) {
      const isList = operation.kind === 'query' && coercions(operation.input).get(field) === 'strings';
      const input = { ...valid, [field]: isList ? ['a\0b'] : 'a\0b' };
      const { code, reason, message } = await rest.call(api.url, kitchen.key, input);
      const byTool = refusalIn(await send(api.url, kitchen.key, calling(name, argumentsFrom(input))));
      expect({ field, ...byTool }).toMatchObject({ field, code, reason, message });
      expect(code).toBe('validation_error');
    }
  });

  const keyed = served.filter(({ operation }) => operation.meta.idempotent);

  test.each(keyed)('$name without its idempotency_key', async ({ name, operation }) => {
    const { idempotencyKey: _, ...input } = await inputIn(kitchen, operation);
    expect(refusalIn(await send(api.url, kitchen.key, calling(name, input)))).toMatchObject({
      reason: 'idempotency_key_missing',
      message: 'idempotency_key: is required',
      fields: [{ path: 'idempotency_key', message: 'is required' }],
    });
  });

  const aboutOne = served.filter(({ operation }) => 'id' in operation.input.shape);

  test.each(aboutOne)('$name about what is not there', async ({ name, operation, rest }) => {
    const input = { ...(await inputIn(kitchen, operation)), id: 'no-such-id' };
    const { code, reason, message } = await rest.call(api.url, kitchen.key, input);
    const answer = await send(api.url, kitchen.key, calling(name, argumentsFrom(input)));
    expect(refusalIn(answer)).toMatchObject({ code, reason, message });
    expect(code).toBe('resource_not_found');
  });
});
