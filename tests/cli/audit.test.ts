import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AuditEntry } from '../../packages/api/src/resources/audit/schema.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { roleUrl } from '../support/roles.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();
const hand = useHand(api);

const comanda = (...argv: string[]): Promise<CommandOutcome> =>
  callComanda(
    { DATABASE_URL: api.databaseUrl, DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner') },
    ...argv,
  );

const json = ({ stdout }: CommandOutcome) => JSON.parse(stdout) as Record<string, unknown>;
const entries = ({ stdout }: CommandOutcome) => parseStrict(z.array(AuditEntry), JSON.parse(stdout));

describe('comanda audit', () => {
  it('shows changes with their author, key and request, newest first', async () => {
    const { locationId, key, client } = await api.place({ location: { timezone: 'America/Montevideo' } });
    const { paymentMethods } = client();
    const made = await paymentMethods.create.mutate({ name: 'Card', type: 'card' });
    await paymentMethods.update.mutate({ id: made.id, name: 'Visa', enabled: false });

    const [updated, created, ...rest] = entries(await comanda('audit', '--location', locationId, '--json'));
    expect(rest).toEqual([]);
    expect(updated).toEqual({
      id: expect.any(String),
      location_id: locationId,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/),
      actor: 'api_key',
      by: 'test',
      by_known: true,
      api_key_id: key.id,
      key_name: 'test',
      request_id: expect.any(String),
      client_address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      operation: 'paymentMethods.update',
      resource_id: made.id,
      resource_name: 'Visa',
      changes: { before: { name: 'Card', enabled: true }, after: { name: 'Visa', enabled: false } },
    });
    expect(created).toMatchObject({ operation: 'paymentMethods.create', changes: { before: null } });
    expect(created?.request_id).not.toBe(updated?.request_id);

    const { stdout } = await comanda('audit', '--location', locationId);
    const [head, first, second, ...lines] = stdout.trimEnd().split('\n');
    expect(lines).toEqual([]);
    expect(head).toMatch(/^TIME +ENTRY +WHO +KEY +REQUEST +OPERATION +RESOURCE +NAME +CHANGES$/);
    expect(first).toContain(`key "test"`);
    for (const shown of [updated?.created_at, updated?.id, key.id, updated?.request_id, made.id])
      expect(first).toContain(String(shown));
    expect(first).toMatch(/ paymentMethods\.update .* name: "Card" → "Visa", enabled: true → false$/);
    expect(second).toMatch(/ paymentMethods\.create .* name: "Card", type: "card", enabled: true$/);
    expect(first?.indexOf('paymentMethods')).toBe(second?.indexOf('paymentMethods'));
  });

  it('shows what the command line did, without the text of any key', async () => {
    const location = json(await comanda('locations', 'create', '--name', 'Bar Nuevo', '--json'));
    const id = String(location.id);
    const create = ['keys', 'create', '--name', 'ERP', '--permissions', 'orders:*', '--location', id];
    const key = json(await comanda(...create, '--json'));
    await comanda('keys', 'revoke', String(key.id), '--json');
    await comanda('keys', 'revoke', String(key.id), '--json');

    const outcome = await comanda('audit', '--location', id, '--json');
    const shown = entries(outcome).map((entry) => [entry.actor, entry.operation, entry.resource_id]);
    expect(shown).toEqual([
      ['command_line', 'keys.revoke', key.id],
      ['command_line', 'keys.create', key.id],
      ['command_line', 'locations.create', id],
    ]);
    expect(outcome.stdout).not.toContain(String(key.key));
    expect(outcome.stdout).not.toContain(String(key.prefix));
    const readable = (await comanda('audit', '--location', id)).stdout;
    expect(readable).toMatch(/ command line .* keys\.create .*permissions: \["orders:\*"\]/);
  });

  it('shows who changed the permissions of a key, which takes a name', async () => {
    const create = ['keys', 'create', '--name', 'BI', '--permissions', 'orders:*', '--json'];
    const { id } = json(await comanda(...create));
    const update = ['keys', 'update', String(id), '--permissions', 'orders:read'];
    const nameless = await comanda(...update);
    expect(nameless.code).toBe(1);
    expect(nameless.stderr).toContain('--as: must be your name');
    expect((await comanda(...update, '--as', 'comanda\u001b[31m')).code).toBe(1);
    expect((await comanda(...update, '--as', 'ana')).code).toBe(0);
    const readable = (await comanda('audit', '--by', 'ana')).stdout;
    expect(readable).toMatch(
      / command line by ana \(stated\) .* keys\.update .*permissions: \["orders:\*"\] → \["orders:read"\]/,
    );
  });

  it('shows at a location what another one did to it, and nothing else of others', async () => {
    const made = await api.client().locations.create.mutate({ name: 'Second' });
    const [entry, ...rest] = entries(await comanda('audit', '--location', made.id, '--json'));
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({ location_id: api.locationId, resource_id: made.id });
  });

  it('shows every location without --location, and at most --limit entries', async () => {
    for (const locationId of [await api.make.location(), await api.make.location()])
      await hand.sql(`update locations set name = 'Bar' where id = $1`, [locationId]);
    const all = entries(await comanda('audit', '--json'));
    expect(new Set(all.map(({ location_id }) => location_id)).size).toBeGreaterThan(1);
    const two = entries(await comanda('audit', '--limit', '2', '--json'));
    expect(two).toEqual(all.slice(0, 2));
  });

  it('shows control characters of a name as their codes', async () => {
    const locationId = await api.make.location();
    const key = await api.make.key({ locationId });
    await api.client(key.key).locations.update.mutate({ id: locationId, name: 'Red \u001b[31m\nkitchen' });
    await api.prisma.apiKey.updateMany({ where: { id: key.id }, data: { name: 'a\u0007b' } });
    const { stdout } = await comanda('audit', '--location', locationId);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain('key "a\\u0007b"');
    expect(stdout).toContain('\\u001b[31m');
  });

  it('shows manual edits: the author, the program, the table, and the values before and after', async () => {
    const locationId = await api.make.location();
    const id = await api.make.product({ locationId, stock: { quantity: 4 } });
    await hand.sql(`update products set price = 13.75, name = 'Tea' where id = $1`, [id]);
    const many = `insert into products (location_id, sku, name, price) select $1, 's' || n, 'Mate', 1 from generate_series(1, 101) n`;
    await hand.sql(many, [locationId]);
    await hand.sql('delete from products where id = $1', [id]);
    const [role] = await hand.sql<{ name: string }>('select session_user::text as name');

    const [gone, made, changed, ...rest] = entries(
      await comanda('audit', '--location', locationId, '--json'),
    );
    expect(rest).toEqual([]);
    expect(changed).toEqual({
      id: expect.any(String),
      location_id: locationId,
      created_at: expect.any(String),
      actor: 'database',
      by: 'psql',
      by_known: false,
      role: role?.name,
      application: 'psql',
      operation: 'update',
      table: 'products',
      resource_id: id,
      resource_name: 'Tea',
      row_count: 1,
      rows: [
        { key: { id }, before: { price: 12.5, name: 'Flat White' }, after: { price: 13.75, name: 'Tea' } },
      ],
    });
    expect(made).toMatchObject({ operation: 'insert', row_count: 101, rows: { length: 100 } });
    expect(gone).toMatchObject({ operation: 'delete', cascaded: { product_stock: 1 } });

    const { stdout } = await comanda('audit', '--location', locationId);
    const [, removal, insertion, update] = stdout.trimEnd().split('\n');
    expect(update).toContain(` ${changed?.id}  ${role?.name} by psql (stated) `);
    expect(update).toMatch(/ update products .* Tea +name: "Flat White" → "Tea", price: 12\.5 → 13\.75$/);
    expect(insertion).toMatch(/ insert products +- +Mate, Mate, Mate +101 rows; .*"Mate".*; …$/);
    expect(removal).toMatch(/ delete products .* with it went 1 product_stock$/);
  });

  it('finds entries by time, table, who and id', async () => {
    const locationId = await api.make.location();
    const id = await api.make.product({ locationId, stock: { quantity: 4 } });
    await hand.sql('update product_stock set quantity = 5 where product_id = $1', [id]);
    await hand.sql('delete from products where id = $1', [id]);
    const find = async (...argv: string[]) => {
      const found = entries(await comanda('audit', '--location', locationId, ...argv, '--json'));
      return found.map((entry) => `${entry.operation} ${entry.table}`);
    };
    const [stock, removal, cascaded] = ['update product_stock', 'delete products', 'delete product_stock'];
    expect(await find('--since', '2001-01-01')).toEqual([removal, stock]);
    expect(await find('--since', '2999-01-01T00:00:00Z')).toEqual([]);
    expect(await find('--by', 'psql')).toEqual([removal, stock]);
    expect(await find('--by', 'another')).toEqual([]);
    expect((await find('--table', 'product_stock')).sort()).toEqual([cascaded, stock]);
    expect((await find('--id', id)).sort()).toEqual([cascaded, removal, stock]);
  });

  it('still shows that a location was deleted by hand', async () => {
    const locationId = await api.make.location();
    await hand.sql('delete from locations where id = $1', [locationId]);
    const [gone, ...rest] = entries(await comanda('audit', '--location', locationId, '--json'));
    expect(rest).toEqual([]);
    expect(gone).toMatchObject({ operation: 'delete', table: 'locations', resource_id: locationId });
    expect(gone).not.toHaveProperty('location_id');
  });

  it('says none where nothing was done', async () => {
    const locationId = await api.make.location();
    expect((await comanda('audit', '--location', locationId)).stdout).toBe('none\n');
    expect(entries(await comanda('audit', '--location', locationId, '--json'))).toEqual([]);
  });

  it.each([
    ['an unknown location', ['--location', 'nowhere'], 'resource_not_found'],
    ['a limit of none', ['--limit', '0'], 'validation_error'],
    ['a limit that is no number', ['--limit', 'many'], 'validation_error'],
    ['a limit past the most', ['--limit', '1001'], 'validation_error'],
    ['a time that is none', ['--since', 'yesterday'], 'validation_error'],
    ['an id that is none', ['--id', '7'], 'validation_error'],
    ['an unknown option', ['--until', 'yesterday'], 'invalid_request'],
  ])('refuses %s', async (_, argv, code) => {
    const outcome = await comanda('audit', ...argv, '--json');
    expect(outcome.code).toBe(1);
    expect(json(outcome)).toEqual({ error: { code, message: expect.any(String) } });
  });
});

describe('comanda audit undo', () => {
  it('shows what it would do, does it, and is refused where there is a later change', async () => {
    const locationId = await api.make.location();
    const id = await api.make.product({ locationId });
    await hand.sql('update products set price = 3 where id = $1', [id]);
    const [entry] = entries(await comanda('audit', '--location', locationId, '--json'));
    const undo = (...argv: string[]) => comanda('audit', 'undo', String(entry?.id), ...argv);
    const price = async () =>
      (await hand.sql<{ price: string }>('select price from products where id = $1', [id]))[0]?.price;

    const rehearsed = await undo('--dry-run');
    expect(rehearsed.code, rehearsed.stderr).toBe(0);
    expect(rehearsed.stdout).toMatch(/ update products .* price: 3 → 12\.5; undo of .*\nnothing was changed/);
    expect(await price()).toBe('3');

    expect(json(await undo('--json'))).toMatchObject({
      dry_run: false,
      entries: [{ undo_of: entry?.id, application: 'audit undo' }],
    });
    expect(await price()).toBe('12.5');

    const again = await undo('--json');
    expect(again.code).toBe(1);
    const message = `a later change is in products: undo that first (comanda audit --id ${id})`;
    expect(json(again)).toMatchObject({ error: { code: 'conflict', message } });
  });

  it('knows no entry of another id', async () => {
    const unknown = json(await comanda('audit', 'undo', 'x', '--json'));
    expect(unknown).toMatchObject({ error: { code: 'resource_not_found' } });
  });

  it('says in a sentence what another row has taken since, not what PostgreSQL says', async () => {
    const locationId = await api.make.location();
    const id = await api.make.product({ locationId, sku: 'OLD' });
    await hand.sql(`update products set sku = 'NEW' where id = $1`, [id]);
    const [entry] = entries(await comanda('audit', '--id', id, '--json'));
    await api.make.product({ locationId, sku: 'OLD' });
    const { code, stdout } = await comanda('audit', 'undo', String(entry?.id), '--json');
    const message = 'products.sku: another row has OLD, choose another one';
    expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: 'conflict', message } }]);
  });
});
