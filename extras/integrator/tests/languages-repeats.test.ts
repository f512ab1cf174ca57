import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { useConsumer } from '../../../tests/support/consumer.ts';
import { codeOf, controls, controlsIn } from '../../../tests/support/controls.ts';
import { listening } from '../../../tests/support/listening.ts';
import { createOrderKitchen, orderBody } from '../../../tests/support/orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { words } from '../../../tests/support/words.ts';
import { type Fault, type Front, startFront } from './front.ts';
import { entriesOf, languages, languagesHere, useDriver } from './languages.ts';

const api = usePublishingApi();
const elsewhere = useConsumer();

/** A server that answers every request alike, and keeps their heads. */
async function startService(answer: (response: ServerResponse) => void) {
  const heads: IncomingHttpHeaders[] = [];
  const server = await listening((request, response) => {
    heads.push(request.headers);
    request.resume().on('end', () => answer(response));
  });
  onTestFinished(() => server.close());
  return { heads, url: server.url };
}

test.each(languages)('$client repeats what the others do', ({ client }) => {
  const source = readFileSync(join(repositoryRoot, client), 'utf8');
  expect(source).toMatch(/MAY_?PASS = .{0,20}408, 429, 500, 502, 503, 504\W/i);
});

describe.each(languagesHere)('the client for $name', (language) => {
  const { ask } = useDriver(language);
  let key = '';
  let front: Front | undefined;
  let order = {};

  beforeAll(async () => {
    const locationId = await api.make.location();
    ({ key } = await api.make.key({ locationId }));
    order = orderBody(await createOrderKitchen(api, locationId));
    const met = new Set<string>();
    // `X-Fault: <name of the try> <fault as JSON>`: the first time, and then no more.
    front = await startFront(api.url, ({ headers }) => {
      const [, name = '', fault = ''] = /^(\S+) (.*)$/.exec(String(headers['x-fault'] ?? '')) ?? [];
      if (name === '' || met.has(name)) return undefined;
      met.add(name);
      return JSON.parse(fault) as Fault;
    });
  });
  afterAll(() => front?.close());

  const call = (method: string, path: string, more: object = {}, client: object = {}) =>
    ask({ do: 'call', client: { url: api.url, key, ...client }, method, path, ...more });
  /** A call whose first try fails in this way. */
  const faulty = (fault: Fault, method: string, path: string, more: object = {}) => {
    const headers = { 'X-Fault': `${randomUUID()} ${JSON.stringify(fault)}` };
    return call(method, path, { headers, ...more }, { url: front?.url });
  };
  const newOrder = () => ({ ...order, external_id: `R-${randomUUID()}` });
  const madeOf = async ({ external_id }: { external_id: string }) =>
    entriesOf(await call('GET', '/v2/orders', { parameters: { external_id } })).length;

  test('sends an order again whose answer was lost, and it is made once', async () => {
    const body = newOrder();
    const { error, ...answer } = await faulty({ drop: true }, 'POST', '/v2/orders', { body });
    expect(error).toBeUndefined();
    expect([answer.status, answer.is_replay, await madeOf(body)]).toEqual([201, true, 1]);
  });

  test.each([408, 429, 500, 502, 503, 504])('repeats a %i', async (status) => {
    const { error, ...answer } = await faulty({ status }, 'GET', '/v2/orders');
    expect([answer.status, error]).toEqual([200, undefined]);
  });

  test.each([400, 409, 422, 501])('does not repeat a %i', async (status) => {
    const { error } = await faulty({ status }, 'GET', '/v2/orders');
    expect(error).toMatchObject({ kind: 'refused', status, detail: `the answer was ${status}` });
  });

  test.each([429, 503])('waits after a %i as long as Retry-After says', async (status) => {
    const began = performance.now();
    const { error } = await faulty({ status, retryAfter: 1 }, 'GET', '/v2/orders');
    expect(error).toBeUndefined();
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  });

  test('leaves a wait that is too long to the caller', async () => {
    const { error } = await faulty({ status: 429, retryAfter: 86_400 }, 'GET', '/v2/orders');
    expect(error).toMatchObject({ kind: 'refused', status: 429, retry_after: 86_400 });
  });

  test('reads a Retry-After that is a moment', async () => {
    const moment = new Date(Date.now() + 86_400_000).toUTCString();
    const service = await startService((response) => {
      response.writeHead(503, { 'Retry-After': moment }).end();
    });
    const { error } = await call('GET', '/v2/orders', {}, { url: service.url });
    expect(error?.retry_after).toBeGreaterThan(86_000);
    expect(error?.retry_after).toBeLessThanOrEqual(86_400);
  });

  test('tries as often as it is set to, with one idempotency key, and the key of the location', async () => {
    const service = await startService((response) => {
      response.writeHead(503, { 'Retry-After': '0' }).end('<html>');
    });
    const { error } = await call('POST', '/v2/orders', { body: newOrder() }, { url: service.url, tries: 3 });
    expect(error).toMatchObject({ kind: 'refused', status: 503 });
    const keys = service.heads.map((head) => head['idempotency-key']);
    expect(keys).toEqual(Array.from({ length: 3 }, () => keys[0]));
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const { authorization, 'content-type': type, 'user-agent': agent } of service.heads) {
      expect([authorization, type]).toEqual([`Bearer ${key}`, 'application/json']);
      expect(agent).toMatch(/^comanda\.\w+\/\d+\.\d+\.\d+$/i);
    }
  });

  test('gives a write without an answer a key to repeat it with', async () => {
    const nobody = await listening(() => {});
    await nobody.close();
    const body = newOrder();
    const { error } = await call('POST', '/v2/orders', { body }, { url: nobody.url, tries: 2 });
    expect(error).toMatchObject({ kind: 'no_answer', idempotency_key: expect.stringMatching(/.{36}/) });
    const again = { body, idempotency_key: error?.idempotency_key };
    expect((await call('POST', '/v2/orders', again)).status).toBe(201);
  });

  test.each([
    { about: 'an answer that does not come in time', head: '' },
    {
      about: 'a body that does not come in time',
      head: 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"data"',
    },
  ])('takes $about for no answer', async ({ head }) => {
    const { url, close } = await listening(({ socket }) => void (head !== '' && socket.write(head)));
    const { error } = await call('GET', '/v2/orders', {}, { url, tries: 1, timeout_ms: 200 });
    expect(error?.kind).toBe('no_answer');
    await close();
  });

  test.each([
    { about: 'is cut off', head: { 'Content-Length': '40' }, body: '{"data":[]}' },
    { about: 'ends amid its pieces', head: {}, body: '{"data":[' },
    { about: 'is not JSON', head: {}, body: '<html>from the proxy</html>' },
  ])('takes a success whose body $about for no answer', async ({ head, body }) => {
    const service = await startService((response) => {
      response.writeHead(200, head).write(body, () => response.destroy());
    });
    const { error } = await call('GET', '/v2/orders', {}, { url: service.url, tries: 1 });
    expect(error?.kind).toBe('no_answer');
  });

  test('asks again after a page of something in between', async () => {
    const body = newOrder();
    const { error, status } = await faulty({ status: 200 }, 'POST', '/v2/orders', { body });
    expect([status, error, await madeOf(body)]).toEqual([201, undefined, 1]);
  });

  test('does not take its key along a redirect', async () => {
    const { error } = await faulty({ status: 302, location: elsewhere.url }, 'GET', '/v2/orders');
    expect(error).toMatchObject({ kind: 'refused', status: 302, detail: 'the answer was 302' });
    expect(elsewhere.received).toEqual([]);
  });

  test('shows what a hostile service says without its control characters', async () => {
    const message = `a${controls.join('')}b ñ 🍕`;
    const service = await startService((response) => {
      response.writeHead(422, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'validation_error', message, request_id: 'r' } }));
    });
    const { error } = await call('GET', '/v2/orders', {}, { url: service.url });
    expect(error?.detail).toBe(message);
    expect(controlsIn(error?.text ?? '')).toEqual([]);
    expect(error?.text).toContain(`a${controls.map(codeOf).join('')}b ñ 🍕`);
  });

  test('names the moment to begin with where a restore took the cursor', async () => {
    const since = '2026-01-31T00:00:00.000Z';
    const service = await startService((response) => {
      response.writeHead(409, { 'X-Error-Reason': 'cursor_not_restored', 'X-Error-Since': since });
      response.end('{"error":{"code":"conflict","message":"gone","request_id":"r"}}');
    });
    const client = { url: service.url, key };
    const { error } = await ask({ do: 'events', client, parameters: { after: randomUUID() } });
    expect(error).toMatchObject({ kind: 'refused', reason: 'cursor_not_restored', since });
  });

  test.each([
    ...words('{"error":null} {"error":[1]} {"error":"x"} [] null "x"'),
    '['.repeat(5000),
    '{"error":{"message":"\\ud800"}}',
  ])('reports a refusal whose body is %j', async (body) => {
    const service = await startService((response) => response.writeHead(400).end(body));
    const { error } = await call('GET', '/v2/orders', {}, { url: service.url });
    expect(error).toMatchObject({ kind: 'refused', status: 400, code: '' });
    expect(controlsIn(error?.text ?? '')).toEqual([]);
  });
});
