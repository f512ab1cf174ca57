import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { askRaw } from '../support/raw.ts';
import { roleUrl } from '../support/roles.ts';
import { useClosed } from '../support/use.ts';
import { insertOrder, useWorkerKit } from '../worker/kit.ts';
import { end, ended, startRun, startStudio } from './run.ts';

const kit = useWorkerKit();
const ana = useClosed(() => startStudio(kit.url, ['--as', 'ana']));
const reader = useClosed(() => startStudio(kit.url, ['--as', 'bob', '--read-only']));

describe('the page', () => {
  it('stands at the one address that is printed, which listens by then', async () => {
    expect(ana.output().match(/http:\/\/\S+/g)).toEqual([ana.entrance]);
    expect(ana.entrance).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/\?session=[\w-]{43}#schema=public&table=orders_today$/,
    );
    expect(ana.output()).toMatch(/as ana, \w+_admin;/);
  });

  it('loads everything it needs from its own server', async () => {
    const page = await (await get('/')).text();
    const loaded = [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(loaded).toEqual(['data:,', '/studio.css', '/studio.js']);
    for (const file of loaded.slice(1)) expect((await get(file ?? '')).status).toBe(200);
  });

  it('has the address of the desk that was said, and none that nobody knows', async () => {
    expect(await (await get('/')).text()).not.toContain('comandaDesk');
    const studio = await startStudio(kit.url, ['--as', 'eva', '--desk', 'https://pos.example/api']);
    try {
      expect(studio.output()).toContain('orders lead to the desk: https://pos.example/app/desk\n');
      const page = await fetch(studio.origin, { headers: { cookie: studio.cookie } });
      expect(await page.text()).toContain('"https://pos.example/app/desk"');
    } finally {
      await studio.close();
    }
    const wrong = startRun(['--desk', 'javascript:alert(1)'], kit.url);
    expect(await ended(wrong)).toBe(1);
    expect(wrong.output()).toContain('--desk: must be the address of the service');
  });

  it('is told to talk to nobody but its own server', async () => {
    for (const path of ['/', '/studio.js', '/studio.css']) {
      const policy = (await get(path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).not.toMatch(/https?:|\*/);
    }
  });

  it('answers on the loopback address alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address: own, family }) => own !== '127.0.0.1' && !(family === 'IPv6' && /^fe80/i.test(own)))
      .map(({ address: own }) => own);
    // Whoever listens on every address, or on one of these, has its port there; then nobody else can.
    for (const other of others) expect(await canListen(other), other).toBe(true);
    expect(await canListen('127.0.0.1')).toBe(false);
  });
});

describe('an edit as the grid sends it', () => {
  it('of a price is told to the ERP like any other change, and the audit names who did it', async () => {
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
      ...{ sql: 'update "public"."products" set "price" = $1 where "id" = $2' },
      parameters: [price, ids[index]],
    }));
    const response = await post({ procedure: 'transaction', queries });
    expect(await response.json()).toMatchObject([{ name: '23514' }]);
    const prices = await kit.sql('select price from products where id = any ($1)', [ids]);
    expect(prices).toEqual([{ price: '1' }, { price: '1' }]);
  });

  it('of what only the service writes is refused with the sentence of its guard', async () => {
    expect((await ana.query('delete from "public"."events"')).refusal).toEqual({
      ...{
        name: '42501',
        message: 'permission denied for table events: events are what was told to others: nobody edits them',
      },
    });
    expect((await ana.query('select * from internal.webhook_secrets')).refusal?.message).toMatch(
      /^permission denied for schema internal/,
    );
  });

  it('that breaks a rule of a column says the rule', async () => {
    const id = await createProduct(kit.database, { locationId: kit.locationId });
    const { refusal } = await ana.query('update products set price = 12.345 where id = $1', [id]);
    expect(refusal?.message).toMatch(
      /violates check constraint "products_price_check": \(.*price = round\(price, 2\).*\)$/,
    );
  });

  it('that meets a double names the value', async () => {
    await createProduct(kit.database, { locationId: kit.locationId, sku: 'TAKEN' });
    const id = await createProduct(kit.database, { locationId: kit.locationId, sku: 'FREE' });
    const { refusal } = await ana.query('update products set sku = $1 where id = $2', ['TAKEN', id]);
    expect(refusal?.message).toMatch(/Key \(location_id, sku\)=\(.+, TAKEN\) already exists\./);
  });

  it('is refused by a Studio that only reads, which says how to edit', async () => {
    expect(reader.output()).toMatch(/as bob, \w+_reader, reads only;/);
    for (const sql of ['delete from products', 'commit; delete from products', 'delete from events'])
      expect((await reader.query(sql)).refusal?.message).toMatch(
        /This Studio only reads: start one that edits by npm run studio -- --as <your name>$/,
      );
    expect((await reader.query('select name from locations')).rows).toHaveLength(1);
  });

  it('leaves nothing behind for the next: no transaction, no setting', async () => {
    await ana.query(`set statement_timeout = '7s'; set comanda.deed = 'repair: by mistake'`);
    await ana.query('begin; select 1 / 0');
    for (let turn = 0; turn < 5; turn++)
      expect(
        (await ana.query(`select current_setting('comanda.deed', true) as deed, current_user as me`)).rows,
      ).toEqual([{ deed: '', me: new URL(roleUrl(kit.url, 'admin')).username }]);
  });
});

describe('who has no session', () => {
  const select = { procedure: 'query', query: { sql: 'select 1 as one', parameters: [] } };

  it('gets nothing: no page, no script, no row', async () => {
    for (const path of ['/', '/studio.js', '/studio.css', '/favicon.ico', '/?session=', '/?session=guess']) {
      const answer = await fetch(ana.origin + path, { redirect: 'manual' });
      expect([path, answer.status, await answer.text()]).toEqual([
        ...[path, 403, 'open the address that npm run studio has printed: it lets this browser in\n'],
      ]);
    }
    expect((await post(select, { cookie: '' })).status).toBe(403);
    expect((await post(select, { cookie: reader.cookie })).status).toBe(403);
    expect((await post(select)).status).toBe(200);
  });

  it.each([['http://evil.example'], ['null'], ['http://127.0.0.1:1'], ['http://localhost:3000']])(
    'and comes from a page of the origin %s gets nothing, session or not',
    async (origin) => {
      expect((await post(select, { origin })).status).toBe(403);
      expect((await get('/', { origin })).status).toBe(403);
    },
  );

  it('gets nothing without an origin where it would write, and nothing under a foreign host name', async () => {
    const { host, port } = new URL(ana.origin);
    const asked = async (headers: Record<string, string>) =>
      (await askRaw(ana.origin, 'POST /bff', { cookie: ana.cookie, ...headers }, JSON.stringify(select)))
        .status;
    expect(await asked({ host })).toBe(403);
    for (const evil of ['evil.example', `evil.example:${port}`])
      expect(await asked({ host: evil, origin: `http://${evil}` })).toBe(403);
    expect((await askRaw(ana.origin, 'GET /', { host: 'evil.example', cookie: ana.cookie })).status).toBe(
      403,
    );
    const { search } = new URL(ana.entrance);
    expect((await askRaw(ana.origin, `GET /${search}`, { host: 'evil.example' })).status).toBe(403);
    expect(await asked({ host, origin: ana.origin })).toBe(200);
  });
});

describe('npm run studio', { timeout: 120_000 }, () => {
  it.each([
    [['--port', '99999'], '--port: must be from 1 to 65535'],
    [['--as', 'comanda-api'], '--as: a name of 1 to 40 letters'],
    [['--as', 'ana; drop'], '--as: a name of 1 to 40 letters'],
    [['--reed-only'], "Unknown option '--reed-only'"],
  ])('says what is wrong with %j', async (args, said) => {
    const run = startRun(args, kit.url);
    expect(await ended(run)).toBe(1);
    expect(run.output()).toContain(`comanda: ${said}`);
  });

  it('says so when the port is taken', async () => {
    const second = startRun(['--port', new URL(ana.origin).port], kit.url);
    expect(await ended(second)).toBe(1);
    expect(second.output()).toContain(`--port: ${new URL(ana.origin).port} is taken`);
  });

  it('says so when no database runs', async () => {
    const lost = startRun([], undefined);
    expect(await ended(lost)).toBe(1);
    expect(lost.output()).toContain('no running database: run npm start first, or set DATABASE_URL');
  });

  it('does not open as the service, past which no guard stands', async () => {
    for (const role of ['service', 'owner'] as const) {
      const run = startRun([], kit.url, role);
      expect(await ended(run)).toBe(1);
      expect(run.output()).toMatch(
        new RegExp(
          `^comanda: DATABASE_URL is \\w+_${role}'s: give Studio that of \\w+_admin, or of a role that`,
        ),
      );
    }
  });

  it.each([['SIGTERM'], ['SIGINT']] as const)(
    'ends on %s with exit code 0 and nothing left',
    async (signal) => {
      const run = await startStudio(kit.url);
      expect(await end(run, signal)).toBe(0);
      await expect(fetch(run.origin)).rejects.toThrow();
    },
  );
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(ana.origin + path, { headers: { cookie: ana.cookie, ...headers } });

const post = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${ana.origin}/bff`, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', origin: ana.origin, cookie: ana.cookie, ...headers },
  });

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
