import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodingFor } from '../../packages/api/src/call/encoding.ts';
import { packedInto } from '../../packages/api/src/http/packing.ts';
import { createShop, type Shop } from '../api/catalog-shop.ts';
import { useApi } from '../support/api.ts';
import { listening } from '../support/listening.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { askRaw } from '../support/raw.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();
let shop: Shop;
beforeAll(async () => {
  shop = await createShop(api, api.locationId);
  await createManyOrders(api.app.database, {
    locationId: api.locationId,
    count: 60,
    from: '2026-01-10T12:00:00Z',
  });
});

const ask = (route: string, headers: Record<string, string> = {}, body?: string) =>
  askRaw(api.url, route, { authorization: `Bearer ${shop.key}`, ...headers }, body);
const asGzip = { 'accept-encoding': 'gzip' };
const exported = 'GET /v2/orders/export?from=2026-01-01&to=2026-01-31';
const batch = (...names: string[]) =>
  `GET /trpc/${names.join(',')}?batch=1&input=${encodeURIComponent(
    JSON.stringify(Object.fromEntries(names.map((_, index) => [index, { limit: 50 }]))),
  )}`;

describe('an answer of the API', () => {
  test.each(['GET /v2/orders?limit=50', 'GET /v1/orders?limit=50', 'GET /v2/catalog', batch('orders.list')])(
    'comes as gzip on request: the same bytes, fewer on the way: %s',
    async (route) => {
      const plain = await ask(route);
      const packed = await ask(route, asGzip);
      expect([plain.status, packed.status]).toEqual([200, 200]);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.headers['content-length'] ?? packed.bytes.length).toBe(String(packed.bytes.length));
      expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    },
  );

  test.each([
    'GET /v2/orders?limit=50',
    'GET /v2/catalog',
    'GET /v2/limits',
    'GET /v2/nothing',
    batch('orders.list'),
  ])('says that it depends on what was asked, packed or not: %s', async (route) => {
    for (const headers of [{}, asGzip])
      expect((await ask(route, headers)).headers.vary?.toLowerCase()).toContain('accept-encoding');
  });

  test.each(['GET /v2/limits', 'GET /v2/nothing', 'GET /trpc/limits.get'])(
    'that is short comes as it is: %s',
    async (route) => {
      const { headers, bytes } = await ask(route, asGzip);
      expect(headers['content-encoding']).toBeUndefined();
      expect(() => JSON.parse(bytes.toString())).not.toThrow();
    },
  );

  test.each(['gzip;q=0', 'identity', 'br', 'identity, gzip;q=0.5', '', '*;q=0'])(
    'comes as it is for "%s"',
    async (accepted) => {
      for (const route of ['GET /v2/orders?limit=50', exported, batch('orders.list')]) {
        const { headers, bytes } = await ask(route, { 'accept-encoding': accepted });
        expect(headers['content-encoding'], route).toBeUndefined();
        expect(() => JSON.parse(bytes.toString()), route).not.toThrow();
      }
    },
  );

  test('to HEAD has the headers of GET and no body', async () => {
    for (const route of ['/v2/orders?limit=50', '/v2/catalog']) {
      const [get, head] = [await ask(`GET ${route}`, asGzip), await ask(`HEAD ${route}`, asGzip)];
      expect(head.bytes).toHaveLength(0);
      for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
        expect(head.headers[name], name).toBe(get.headers[name]);
    }
    const head = await ask(exported.replace('GET', 'HEAD'), asGzip);
    expect([head.headers['content-encoding'], head.bytes.length]).toEqual(['gzip', 0]);
  });

  test('that is made while it is sent comes as gzip, too', async () => {
    const packed = await ask(exported, asGzip);
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
    const { data } = JSON.parse(gunzipSync(packed.bytes).toString()) as { data: { orders: unknown[] } };
    expect(data.orders).toHaveLength(60);
  });
});

test('a packer ends with a caller who hangs up', async () => {
  const packers: Writable[] = [];
  const server = await listening((_, response) => {
    const packer = packedInto(response);
    packers.push(packer);
    packer.write('a piece');
  });
  const asked = get(server.url);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  await once(answer, 'readable');
  answer.destroy();
  await waitFor('the packer to be destroyed', async () => packers.every(({ destroyed }) => destroyed));
  expect(packers).toHaveLength(1);
  await server.close();
});

describe('the tag of the catalog', () => {
  const tagsOf = async () => {
    const [plain, packed] = [await ask('GET /v2/catalog'), await ask('GET /v2/catalog', asGzip)];
    return [plain.headers.etag ?? '', packed.headers.etag ?? ''] as const;
  };

  test('differs with the coding, and is the same each time', async () => {
    const [plain, packed] = await tagsOf();
    expect(packed).toBe(plain.replace(/"$/, '-gzip"'));
    expect(plain).toMatch(/^"[^"]+"$/);
    expect(await tagsOf()).toEqual([plain, packed]);
  });

  test.each([
    ['plain', 'plain', 'plain'],
    ['plain', 'packed', 'packed'],
    ['packed', 'plain', 'plain'],
    ['packed', 'packed', 'packed'],
    ['packed', 'both', 'packed'],
    ['plain', 'both', 'plain'],
  ] as const)(
    'asked %s with the tag of %s, is answered 304 with the tag of %s',
    async (asked, held, returned) => {
      const [plain, packed] = await tagsOf();
      const tags = { plain, packed, both: `W/${plain}, ${packed}` };
      const answer = await ask('GET /v2/catalog', {
        ...(asked === 'packed' && asGzip),
        'if-none-match': tags[held],
      });
      expect([answer.status, answer.bytes.length]).toEqual([304, 0]);
      expect(answer.headers.etag).toBe(tags[returned]);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers.vary).toBe('Authorization, Accept-Encoding');
    },
  );
});

test.each([
  [undefined, 'identity'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0', 'gzip'],
  ['br;q=0.000, GZIP', 'gzip'],
  ['br;q=0.5, gzip; q=0.8', 'gzip'],
  ['x-gzip', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0, gzip', 'gzip'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0', 'identity'],
  ['gzip;q=nonsense', 'identity'],
  ['deflate', 'identity'],
])('of %s we send %s', (accepted, encoding) => {
  expect(encodingFor(accepted, ['br', 'gzip'])).toBe(encoding);
});
