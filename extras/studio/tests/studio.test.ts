import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createProduct } from '../../../tests/support/factories.ts';
import { askRaw } from '../../../tests/support/raw.ts';
import { roleUrl } from '../../../tests/support/roles.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { insertOrder, useWorkerKit } from '../../../tests/worker/kit.ts';
import { tokenHeader } from '../src/page/session.ts';
import { codeOf, enter, type RunningStudio, refusalOf, startStudio } from './run.ts';

const kit = useWorkerKit();
const ana = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));
const reader = useClosed(() => startStudio(kit.url, ['--as', 'bob']));
// Later tests ask for more addresses.
let printed: string;
beforeAll(() => {
  printed = ana.output();
});

describe('the page', () => {
  it('is at the address that is printed, which listens by then; another is printed when it is used', () => {
    const addresses = printed.match(/http:\/\/\S+/g) ?? [];
    expect(addresses).toHaveLength(2);
    for (const address of addresses)
      expect(address).toMatch(
        /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}&schema=public&table=orders_today$/,
      );
    expect(printed).toMatch(/as ana, \w+_admin;/);
  });

  it('loads everything it needs from its own server, and nothing of it is about the restaurants', async () => {
    const page = await (await get('/')).text();
    const loaded = [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(loaded).toEqual(['data:,', '/studio.css', '/comanda.js']);
    const [studio = ''] = /\/studio\.js\?v=\w{16}/.exec(await (await get('/comanda.js')).text()) ?? [];
    for (const file of [...loaded.slice(1), studio]) expect((await get(file ?? '')).status).toBe(200);
    expect((await get(studio)).headers.get('cache-control')).toMatch(/^private, .*immutable$/);
    expect((await get('/comanda.js')).headers.get('cache-control')).toBe('no-store');
    expect(page).not.toContain('ana');
  });

  it('has the given address of the desk, and no unknown one', async () => {
    expect(await session(ana)).toMatchObject({ title: 'Studio · ana', desk: null });
    const studio = await startStudio(kit.url, ['--as', 'eva', '--edit', '--desk', 'https://pos.example/api']);
    onTestFinished(async () => void (await studio.close()));
    expect(studio.output()).toContain('orders lead to the desk: https://pos.example/app/desk\n');
    expect(await session(studio)).toMatchObject({ desk: 'https://pos.example/app/desk' });
    expect(await refusalOf(['--desk', 'javascript:alert(1)'], kit.url)).toMatch(
      /^--desk: must be the address of the service/,
    );
  });

  it('may connect only to its own server', async () => {
    for (const path of ['/', '/studio.js', '/studio.css']) {
      const policy = (await get(path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).not.toMatch(/https?:|\*/);
      expect(policy).toContain("script-src 'self';");
    }
  });

  it('answers on the loopback address alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address: own, family }) => own !== '127.0.0.1' && !(family === 'IPv6' && /^fe80/i.test(own)))
      .map(({ address: own }) => own);
    // A program that listens on every address, or on one of these, has its port there; then no other can.
    for (const other of others) expect(await canListen(other), other).toBe(true);
    expect(await canListen('127.0.0.1')).toBe(false);
  });
});

describe('an edit as the grid sends it', () => {
  it('of a price is delivered to the ERP like any other change, and the audit names its author', async () => {
    const id = await createProduct(kit.database, { locationId: kit.locationId, price: 12.5 });
    await kit.publish();
    const before = (await kit.events()).length;
    const update = 'update "public"."products" set "price" = $1 where "id" = $2 returning "price"';
    const { refusal, rows } = await ana.query(update, [13, id]);
    expect(refusal).toBeNull();
    expect(rows).toEqual([{ price: '13' }]);
    await kit.publish();
    const events = (await kit.events()).slice(before);
    expect(events.map(({ type }) => type)).toEqual(['product.updated']);
    expect(events[0]?.body.data).toMatchObject({ id, price: 13 });
    const { username } = new URL(roleUrl(kit.url, 'admin'));
    expect(
      await kit.sql('select actor_name, application_name from audit_entries where resource_id = $1', [id]),
    ).toEqual([{ actor_name: username, application_name: 'ana' }]);
  });

  it('of a closed order is refused with the reason', async () => {
    const id = await insertOrder(kit);
    for (const status of ['ready', 'closed'])
      await kit.sql('update orders set status = $1::order_status where id = $2', [status, id]);
    const sql = 'update "public"."orders" set "status" = cast($1 as "public"."order_status") where "id" = $2';
    const { refusal } = await ana.query(sql, ['pending', id]);
    expect(refusal).toEqual({ name: 'CM001', message: 'an order cannot move from closed to pending' });
    expect(await kit.sql('select status from orders where id = $1', [id])).toEqual([{ status: 'closed' }]);
  });

  it('of several rows is written whole or not at all', async () => {
    const ids = await Promise.all(
      ['A', 'B'].map((name) => createProduct(kit.database, { locationId: kit.locationId, name, price: 1 })),
    );
    const queries = [2, -2].map((price, index) => ({
      sql: 'update "public"."products" set "price" = $1 where "id" = $2',
      parameters: [price, ids[index]],
    }));
    const response = await post({ procedure: 'transaction', queries });
    expect(await response.json()).toMatchObject([{ name: '23514' }]);
    const prices = await kit.sql('select price from products where id = any ($1)', [ids]);
    expect(prices).toEqual([{ price: '1' }, { price: '1' }]);
  });

  it('of what only the service writes is refused with the sentence of its guard', async () => {
    expect((await ana.query('delete from "public"."events" where true')).refusal).toEqual({
      name: '42501',
      message: 'events: events have been published to others and cannot be edited',
    });
  });

  it('of an order or an endpoint never deletes it, for any page shown', async () => {
    const id = await insertOrder(kit);
    const says = async (sql: string, parameters: unknown[] = []) =>
      (await ana.query(sql, parameters)).refusal?.message;
    expect(await says('delete from "public"."orders" where ("id") in ($1)', [id])).toBe(
      'an order is never deleted: set its status to canceled',
    );
    expect(await says('delete from "public"."webhook_endpoints" where true')).toBe(
      'a webhook endpoint is not deleted here: set its status to disabled',
    );
    expect(await kit.sql('select count(*)::int as left from orders where id = $1', [id])).toEqual([
      { left: 1 },
    ]);
    expect(await session(ana)).toMatchObject({ kept: { orders: expect.stringContaining('canceled') } });
  });

  it.each([
    ['price', 12.345, 'products.price must be from 0 to 9999999999.99, with two decimals at most'],
    ['price', null, 'products.price must have a value: write one, or discard the edit'],
    [
      'price',
      '12,50',
      'products.price: "12,50" is no number: write digits, and a point before decimals, as 12.50',
    ],
    ['sku', 'TAKEN', 'products.sku: another row has TAKEN, choose another one'],
    ['name', '', 'name of products must have characters that are seen'],
    ['image_url', 'ftp://x', /^products\.image_url must be an http or https address/],
    ['updated_at', '2026-01-01', /^products: people edit external_id, .+ and the service writes the rest$/],
  ])('of a product whose %s becomes %j is refused in a sentence', async (column, value, sentence) => {
    await createProduct(kit.database, { locationId: kit.locationId, sku: 'TAKEN' }).catch(() => {});
    const id = await createProduct(kit.database, { locationId: kit.locationId, name: 'A hidden product' });
    const { refusal } = await ana.query(
      `update "public"."products" set "${column}" = $1 where ("id") = ($2)`,
      [value, id],
    );
    expect(refusal?.message).toMatch(sentence);
    expect(refusal?.message).not.toContain('A hidden product');
  });

  it('of a number that is too large names its column and what fits', async () => {
    const { refusal } = await ana.query(
      'update "public"."menu_categories" set "position" = $1 where ("menu_id") = ($2)',
      [99_999_999_999, kit.locationId],
    );
    expect(refusal?.message).toBe(
      'menu_categories.position: 99999999999 does not fit: write a number from -2147483648 to 2147483647',
    );
  });

  it('is refused by a Studio that only reads, which says how to edit', async () => {
    expect(reader.output()).toMatch(/as bob, \w+_reader, reads only \(--edit to edit\);/);
    for (const table of ['products', 'events'])
      expect((await reader.query(`delete from "public"."${table}" where true`)).refusal?.message).toMatch(
        /This Studio only reads: start one that edits by npm run studio -- --edit --as <your name>$/,
      );
    expect(await read(reader)).toHaveLength(1);
  });

  it('is the only way to write: there is no console, for any user', async () => {
    const before = await kit.sql('select count(*) from audit_entries');
    for (const studio of [ana, reader])
      for (const sql of [
        'select 1',
        'begin; select 1 / 0',
        `set statement_timeout = '7s'; set comanda.deed = 'repair: by mistake'`,
        "set local application_name = 'bob'",
        'select * from internal.webhook_secrets',
        'commit; delete from products',
        'merge into "public"."webhook_endpoints" e using (select 1) s on true when matched then delete',
        `with gone as (DELETE /* all */ FROM ONLY orders returning 1) select * from gone`,
      ])
        expect((await studio.query(sql)).refusal?.message, sql).toBe(
          'Studio runs what its grids ask, and no other SQL: use psql, at the address that comanda db url prints',
        );
    expect((await ana.query('delete from "public"."orders_tomorrow" where true')).refusal?.message).toBe(
      'Studio shows no table orders_tomorrow',
    );
    const sequence = [{ sql: 'select 1', parameters: [] }];
    expect(await (await post({ procedure: 'sequence', sequence })).json()).toMatchObject([
      { message: 'sequence is not supported' },
    ]);
    expect(await kit.sql('select count(*) from audit_entries')).toEqual(before);
  });
});

describe('who is not in', () => {
  const select = { procedure: 'query', query: { sql: timezone, parameters: [] } };

  it('gets no row, and a sentence that leads in', async () => {
    const says = async (headers: Record<string, string>) => {
      const answer = await post(select, headers);
      return [answer.status, await answer.text()];
    };
    const sentence =
      'this tab is not in, or asked for nothing in 8 hours: open the last address that npm run studio printed';
    for (const token of ['', 'guess', reader.headers[tokenHeader] ?? ''])
      expect(await says({ [tokenHeader]: token })).toEqual([401, sentence]);
    for (const path of ['/session', '/bff', '/telemetry', '/favicon.ico'])
      expect(
        (await fetch(ana.origin + path, { method: 'POST', headers: { origin: ana.origin } })).status,
      ).toBe(401);
    expect((await post(select)).status).toBe(200);
  });

  it.each([['http://evil.example'], ['null'], ['http://127.0.0.1:1'], ['http://localhost:3000']])(
    'and comes from a page of the origin %s gets nothing, token or not',
    async (origin) => {
      expect((await post(select, { origin })).status).toBe(403);
      expect((await get('/', { origin })).status).toBe(403);
      const address = await ana.address();
      expect((await enter(ana.origin, codeOf(address), { origin })).status).toBe(403);
      expect((await enter(ana.origin, codeOf(address))).status).toBe(200);
    },
  );

  it('gets nothing without an origin where it would write, and nothing under a foreign host name', async () => {
    const { host, port } = new URL(ana.origin);
    const asked = async (headers: Record<string, string>) =>
      (await askRaw(ana.origin, 'POST /bff', { ...token(), ...headers }, JSON.stringify(select))).status;
    expect(await asked({ host })).toBe(403);
    for (const evil of ['evil.example', `evil.example:${port}`])
      expect(await asked({ host: evil, origin: `http://${evil}` })).toBe(403);
    for (const path of ['/', '/studio.js', '/comanda.js'])
      expect((await askRaw(ana.origin, `GET ${path}`, { host: 'evil.example' })).status).toBe(403);
    expect(await asked({ host, origin: ana.origin })).toBe(200);
  });

  it('came in by an address that was used', async () => {
    const address = await ana.address();
    const answers = await Promise.all([1, 2, 3].map(() => enter(ana.origin, codeOf(address))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    expect(await (await enter(ana.origin, codeOf(address))).text()).toMatch(/^this address was used/);
  });

  it('was given a cookie, which a browser sends to every port of this machine', async () => {
    const entered = await enter(ana.origin, codeOf(await ana.address()));
    expect(entered.status).toBe(200);
    for (const answer of [entered, await get('/'), await post(select)])
      expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

const timezone = `select current_setting('timezone') as "timezone"`;

const token = () => ({ [tokenHeader]: ana.headers[tokenHeader] });

const get = (path: string, headers: Record<string, string> = {}) => fetch(ana.origin + path, { headers });

const post = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${ana.origin}/bff`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...ana.headers, ...headers },
  });

const session = async ({ origin, headers }: RunningStudio): Promise<unknown> =>
  (await fetch(`${origin}/session`, { method: 'POST', headers })).json();

/** The locations, as their grid asks for them. */
const read = async ({ query }: RunningStudio) => {
  const counted = `with "__ps_agg__" as (select cast(coalesce(count(*), 0) as text) as "__ps_count__" from "public"."locations" where true)`;
  const { rows } = await query(
    `${counted} select "__ps_agg__"."__ps_count__", "name" from "public"."locations" inner join "__ps_agg__" on true where true limit $1 offset 0`,
    [25],
  );
  return rows;
};

function canListen(host: string): Promise<boolean> {
  const { port } = new URL(ana.origin);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host, port: Number(port), exclusive: true, ipv6Only: true }, () =>
      probe.close(() => resolve(true)),
    );
  });
}
