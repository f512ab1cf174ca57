import { describe, expect, test } from 'vitest';
import { keylessOf } from '../../packages/api/src/call/keyless.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useApi } from '../support/api.ts';
import { converse } from './conversation.ts';
import { type Door, openDoors, procedureKinds, restDoors, trpcDoors } from './doors.ts';

const api = useApi();

const mebibyte = 1024 * 1024;
const writers = restDoors.filter(({ method }) => method !== 'GET');
const posts = trpcDoors.filter(({ method }) => method === 'POST');
const queries = procedureKinds.filter(([, kind]) => kind === 'query').map(([name]) => posted(name));
const keyless = keylessOf(appRouter).map(({ name }) => `/trpc/${name}`);
const keyed = [...writers, ...posts, ...queries].filter(({ target }) => !keyless.includes(target));
const length = (bytes: number) => `Content-Length: ${bytes}`;

describe('a request that waits for 100 Continue gets the refusal instead, at', () => {
  test.each(keyed)('$method $target, when the key is wrong', async (door) => {
    expect(await statusesOf(door, [length(2)], { key: 'cmd_live_wrong' })).toEqual([401]);
  });

  test.each([...writers, ...posts])('$method $target, when the body is too long', async (door) => {
    expect(await statusesOf(door, [length(8 * mebibyte + 1)])).toEqual([413]);
  });

  test.each([...writers, ...posts])('$method $target, when the body is no JSON', async (door) => {
    expect(await statusesOf(door, [length(2), 'Content-Type: text/plain'], { type: '' })).toEqual([415]);
  });

  test.each(writers)('$method $target, when the key may not', async (door) => {
    const { key } = await api.make.key({ permissions: [] });
    const statuses = await statusesOf(door, [length(2)], { key });
    expect([[403], [100, 200], [100, 422]]).toContainEqual(statuses);
  });
});

test.each([
  ['an unknown path', { method: 'POST', target: '/v2/nothing' }, [length(2)], 404],
  ['an unknown procedure', posted('nothing'), [length(2)], 404],
  ['a wrong method', { method: 'PATCH', target: '/v2/orders' }, [length(2)], 405],
  ['a compressed body', posted('turns.open'), [length(2), 'Content-Encoding: gzip'], 415],
  ['a bad Host', posted('turns.open'), [length(2), 'Host: y'], 400],
  ['an unknown coding', posted('turns.open'), ['Transfer-Encoding: gzip, chunked'], 501],
  ['another expectation with it', posted('turns.open'), [length(2), 'Expect: tea'], 417],
] as const)('%s is refused without 100 Continue', async (_about, door, lines, status) => {
  expect(await statusesOf(door, [...lines])).toEqual([status]);
});

test('a used-up limit is reported without 100 Continue', async () => {
  const { key } = await api.make.key({ perMinute: 1 });
  await api.rest('GET /v2/limits', { key });
  for (const door of [...writers.slice(0, 1), posted('orders.create')])
    expect(await statusesOf(door, [length(2)], { key })).toEqual([429]);
});

describe('a body that is wanted is asked for by 100 Continue, once, and read:', () => {
  const category = JSON.stringify({ name: 'Tea', priority: 1, visible: true });
  const create = { method: 'POST', target: '/v2/categories' };

  test.each([
    ['REST', create, category, 201],
    ['REST v1', { method: 'POST', target: '/v1/orders' }, '{}', 422],
    ['tRPC', posted('categories.create'), category, 200],
    ['tRPC by a query in a body', posted('categories.list'), '{}', 200],
    ['a batch', posted('categories.create?batch=1'), `{"0":${category}}`, 200],
    ['two of a batch', posted('categories.list,products.list?batch=1'), '{}', 200],
    ['a code of the app', posted('appCodes.redeem'), '{}', 404],
  ])('%s', async (_about, door, body, status) => {
    expect(await statusesOf(door, [length(body.length)], { body })).toEqual([100, status]);
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await statusesOf(door, ['Transfer-Encoding: chunked'], { body: chunks })).toEqual([100, status]);
  });

  test.each(writers)('$method $target', async (door) => {
    const body = '{"x":1}';
    const statuses = await statusesOf(door, [length(body.length)], { body });
    expect(statuses).toEqual([100, expect.any(Number)]);
  });

  test('and the connection is used again', async () => {
    const one = request(create, [length(category.length)]) + category;
    const heard = await converse(api.url, one + one, { enough: 2 });
    expect(heard.map(({ status }) => status)).toEqual([100, 201, 100, 201]);
  });
});

describe('where no body is read, 100 Continue is not sent:', () => {
  test.each(openDoors.filter(({ target }) => !target.startsWith('/trpc')))('GET $target', async (door) => {
    const statuses = await statusesOf(door, [length(2)]);
    expect(statuses).toEqual([expect.any(Number)]);
    expect(statuses[0]).toBeGreaterThanOrEqual(200);
  });

  test('a list, and a request without a body', async () => {
    expect(await statusesOf({ method: 'GET', target: '/v2/orders' }, [length(2)])).toEqual([200]);
    expect(await statusesOf({ method: 'POST', target: '/v2/categories' }, [])).toEqual([422]);
  });
});

test('HTTP/1.0 has no 100 Continue, and is served', async () => {
  const bytes = request(posted('turns.open'), [length(2)]).replace('HTTP/1.1', 'HTTP/1.0');
  const heard = await converse(api.url, `${bytes}{}`, { enough: 1 });
  expect(heard.map(({ status }) => status)).toEqual([200]);
});

function posted(name: string): Door {
  return { method: 'POST', target: `/trpc/${name}` };
}

function request(
  { method, target }: Door,
  lines: string[],
  { key = api.key.key, type = 'Content-Type: application/json\r\n' } = {},
): string {
  const all = ['Host: x', `Authorization: Bearer ${key}`, 'Expect: 100-continue', ...lines].join('\r\n');
  return `${method} ${target} HTTP/1.1\r\n${all}\r\n${type}\r\n`;
}

/** The statuses up to the final one. The body, where there is one, is sent with the head. */
async function statusesOf(
  door: Door,
  lines: string[],
  { body = '', ...more }: { body?: string; key?: string; type?: string } = {},
): Promise<number[]> {
  const heard = await converse(api.url, request(door, lines, more) + body, { enough: 1 });
  return heard.map(({ status }) => status);
}
