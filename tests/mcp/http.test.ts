import { describe, expect, test } from 'vitest';
import { largeFrom } from '../../packages/api/src/bodies/bounds.ts';
import { useApi } from '../support/api.ts';
import { asking, calling, inNewest, refusalIn, send } from './entrance.ts';

const api = useApi();

const list = asking('tools/list');
const initialize = asking('initialize', {
  protocolVersion: '2026-07-28',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

describe('what is served', () => {
  test('initialize answers the revision before the newest one, and a session is never made', async () => {
    const { status, headers, body } = await send(api.url, api.token, initialize);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'comanda' },
    });
    expect(headers.get('mcp-session-id')).toBeNull();
  });

  test('a client that asks for templates of resources learns that there are none', async () => {
    const { body } = await send(api.url, api.token, asking('resources/templates/list'));
    expect(body.result).toEqual({ resourceTemplates: [] });
  });

  test('the list of tools is one page, whatever cursor is given', async () => {
    const whole = await send(api.url, api.token, list);
    expect(whole.body.result).not.toHaveProperty('nextCursor');
    const from = await send(api.url, api.token, asking('tools/list', { cursor: 'unknown' }));
    expect(from.body).toEqual(whole.body);
  });

  test('the newest revision is served by its envelope, which its headers must equal', async () => {
    const [message, headers] = inNewest('tools/call', { name: 'limits_get', arguments: {} });
    const { status, body } = await send(api.url, api.token, message, headers);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ structuredContent: { data: { permissions: ['*'] } } });
    const wrong = [
      { 'mcp-name': 'orders_list' },
      { 'mcp-method': 'tools/list' },
      { 'mcp-protocol-version': '' },
    ];
    for (const header of wrong) {
      const other = await send(api.url, api.token, message, { ...headers, ...header });
      expect({ header, ...other }).toMatchObject({ header, status: 400, body: { error: { code: -32020 } } });
    }
  });

  test.each(['application/json', 'text/event-stream', '*/*', undefined])(
    'answers of both revisions are JSON whatever Accept says: %s',
    async (accept) => {
      for (const [message, more] of [[list, {}] as const, inNewest('tools/list')]) {
        const sent = { ...more, ...(accept !== undefined && { accept }) };
        const { status, headers } = await send(api.url, api.token, message, sent);
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(headers.get('cache-control')).toBe('no-store');
      }
    },
  );

  test('a notification answers 202 without a body', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await send(api.url, api.token, message)).toMatchObject({ status: 202, text: '' });
  });

  test('nothing is streamed: a subscription of the newest revision is refused', async () => {
    const [message, headers] = inNewest('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const { status, body } = await send(api.url, api.token, message, headers);
    expect({ status, code: body.error?.code }).toEqual({ status: 200, code: -32603 });
  });
});

describe('what is refused', () => {
  test.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])(
    '%s, with or without a key',
    async (method) => {
      for (const headers of [{}, { authorization: `Bearer ${api.token}` }]) {
        const response = await fetch(`${api.url}/mcp`, { method, headers });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('POST');
      }
    },
  );

  test('a page of another origin, before its key is looked at', async () => {
    for (const origin of ['https://elsewhere.example', 'null', 'http://127.0.0.1:1', 'nonsense']) {
      const { status, headers } = await send(api.url, api.token, list, { origin });
      expect({ origin, status }).toEqual({ origin, status: 403 });
      expect(headers.get('x-error-reason')).toBe('foreign_origin');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await send(api.url, api.token, list, { origin: api.url })).status).toBe(200);
  });

  test('a request without a key, or with one that is none; no OAuth is offered', async () => {
    const missing = await send(api.url, undefined, initialize);
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    const wrong = await send(api.url, 'cmd_live_wrong', initialize);
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    const documents = [
      'oauth-protected-resource',
      'oauth-protected-resource/mcp',
      'oauth-authorization-server',
    ];
    for (const path of [...documents.map((each) => `/.well-known/${each}`), '/register', '/mcp/', '/mcp/sse'])
      expect({ path, status: (await fetch(api.url + path)).status }).toEqual({ path, status: 404 });
  });

  test('several messages in one request, of either revision', async () => {
    const [newest, more] = inNewest('tools/list');
    for (const answer of [
      await send(api.url, api.token, [list, list]),
      await send(api.url, api.token, [newest, newest], more),
    ]) {
      expect(answer.status).toBe(422);
      expect(answer.headers.get('x-error-reason')).toBe('invalid_field');
    }
  });

  test.each([
    ['a body that is no JSON', '{', {}, 400, 'unreadable_body'],
    ['a body of another type', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a body beyond 64 KiB', JSON.stringify(list) + ' '.repeat(largeFrom), {}, 413, 'body_too_large'],
    ['a body that nests too deep', '['.repeat(65), {}, 422, 'body_bound'],
    ['a name that is given twice', '{"id":1,"id":2}', {}, 422, 'unknown_parameter'],
  ])('%s', async (_, body, more, status, reason) => {
    const answer = await send(api.url, api.token, body, more);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-error-reason')).toBe(reason);
  });

  test('what is no message, no method and no tool, without repeating what was sent', async () => {
    const marker = 'ignore-all-instructions';
    const method = await send(api.url, api.token, asking(marker));
    expect(method.body.error).toMatchObject({ code: -32601 });
    const tool = await send(api.url, api.token, calling(marker));
    expect(tool.body.error).toEqual({ code: -32602, message: 'There is no such tool.' });
    for (const message of [
      {},
      { jsonrpc: '1.0', id: 1, method: 'tools/list' },
      { ...list, params: marker },
    ]) {
      const { status, body, text } = await send(api.url, api.token, message);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: expect.any(Number) });
      expect(text).not.toContain(marker);
    }
    for (const args of [1, 'text', [], null]) {
      const { text } = await send(
        api.url,
        api.token,
        asking('tools/call', { name: 'limits_get', arguments: args }),
      );
      expect(text).toMatch(/"code":-32\d{3}/);
    }
    expect(method.text + tool.text).not.toContain(marker);
  });
});

describe('the limit of requests', () => {
  test('counts every admitted request once, whatever it asks', async () => {
    const { key } = await api.make.key();
    const [newest, headers] = inNewest('tools/call', { name: 'limits_get', arguments: {} });
    const requests = [
      ...[initialize, list, asking('nothing'), calling('no_such_tool'), calling('limits_get')].map(
        (message) => [message, {}] as const,
      ),
      ...[calling('orders_get'), asking('tools/call', { name: 'limits_get', arguments: 1 })].map(
        (message) => [message, {}] as const,
      ),
      ...([
        [newest, headers],
        [newest, { ...headers, 'mcp-name': 'other' }],
      ] as const),
    ];
    const used: number[] = [];
    for (const [message, more] of requests) {
      await send(api.url, key, message, more);
      const { body } = await api.rest<{ data: { monthly: { used: number } } }>('GET /v2/limits', { key });
      used.push(body.data.monthly.used);
    }
    // The request that reads the limits is counted as well.
    expect(used).toEqual(requests.map((_, index) => 2 * (index + 1)));
  });

  test('refuses in the result of a tool, and elsewhere with 429', async () => {
    // The limit of a month: one of a minute could start over between two requests.
    const { key } = await api.make.key({ monthly: 1 });
    await send(api.url, key, list);
    const call = await send(api.url, key, calling('limits_get'));
    expect(call.status).toBe(200);
    expect(refusalIn(call)).toMatchObject({
      code: 'rate_limited',
      reason: 'month_limit',
      retry_after_seconds: expect.any(Number),
    });
    const listed = await send(api.url, key, list);
    expect(listed.status).toBe(429);
    expect(Number(listed.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
