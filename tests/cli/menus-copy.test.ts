import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';

const api = useApi();
const comanda = (...argv: string[]) =>
  callComanda({ DATABASE_URL: api.databaseUrl }, 'menus', 'copy', ...argv);
const json = ({ stdout }: CommandOutcome) => JSON.parse(stdout);

/** A location with a product in a category and a published menu, and a new one. */
async function places() {
  const [from, to] = [await api.make.location(), await api.make.location({ name: 'Bar Nuevo' })];
  const drinks = await api.make.category({ locationId: from, name: 'Drinks' });
  const tea = await api.make.product({
    locationId: from,
    name: 'Tea',
    price: 12.5,
    categoryIds: [drinks],
    stock: { enabled: true, quantity: 7 },
  });
  const client = async (locationId: string) => api.client((await api.make.key({ locationId })).key);
  const at = { from: await client(from), to: await client(to) };
  const menu = await at.from.menus.create.mutate({ name: 'Winter', category_ids: [drinks] });
  await at.from.menus.publish.mutate({ id: menu.id });
  return { from, to, tea, at, words: ['--from', from, '--to', to] };
}

describe('comanda menus copy', () => {
  it('shows the difference, writes nothing in a dry run, and then copies what was seen', async () => {
    const { from, to, at, words } = await places();
    const looked = await comanda(...words, '--dry-run');
    expect(looked.code, looked.stderr).toBe(0);
    expect(looked.stdout).toMatch(/^created +product +Tea +- /m);
    expect(looked.stdout).toContain('price: 12.5');
    expect(looked.stdout).toMatch(/to Bar Nuevo: 3 created, 0 updated, 0 unchanged, 0 only at Bar Nuevo\n/);
    expect((await at.to.products.list.query({})).data).toEqual([]);
    const [, seen = ''] = /nothing was written; --seen (\S+) /.exec(looked.stdout) ?? [];
    // A value that begins with a dash is read as an option.
    expect(seen).toMatch(/^[0-9a-f]{64}$/);
    const done = json(await comanda(...words, '--seen', seen, '--as', 'ana', '--json'));
    expect(done).toMatchObject({ dry_run: false, from: { id: from }, to: { id: to }, created: 3, seen });
    const { data } = await at.to.products.list.query({});
    expect(data).toMatchObject([{ name: 'Tea', price: 12.5, stock: { enabled: false } }]);
    expect(await at.to.menus.getActive.query()).toMatchObject({ name: 'Winter' });
    const { data: entries } = await at.to.audit.list.query({});
    expect(entries).toContainEqual(expect.objectContaining({ operation: 'menus.copy', by: 'ana' }));
    const again = await comanda(...words);
    expect(again.stdout).toMatch(/^none\n\n.*0 created, 0 updated, 3 unchanged/);
  });

  it('refuses another difference than was seen', async () => {
    const { at, tea, words } = await places();
    const { seen } = json(await comanda(...words, '--dry-run', '--json'));
    await at.from.products.update.mutate({ id: tea, price: 13 });
    const refused = await comanda(...words, '--seen', seen, '--json');
    expect(refused.code).toBe(1);
    expect(json(refused).error.message).toMatch(/was changed since the difference was read/);
    expect((await at.to.products.list.query({})).data).toEqual([]);
  });

  it('names its own options in a refusal', async () => {
    const { from, to, at } = await places();
    const message = async (...argv: string[]) => json(await comanda(...argv, '--json')).error.message;
    expect(await message('--from', 'nowhere', '--to', to)).toBe('from: there is no location nowhere');
    expect(await message('--from', from, '--to', 'nowhere')).toBe('to: there is no location nowhere');
    expect(await message('--from', from, '--to', from)).toBe('from: must be of another location');
    expect(await message('--from', from)).toBe('--to is required');
    await at.to.locations.update.mutate({ id: to, currency: 'EUR' });
    expect(await message('--from', from, '--to', to)).toMatch(
      /^from: the prices there are in USD, and here in EUR/,
    );
  });

  it('writes nothing at a location that is disabled', async () => {
    const { to, at, words } = await places();
    const { code } = await callComanda({ DATABASE_URL: api.databaseUrl }, 'locations', 'disable', to);
    expect(code).toBe(0);
    const refused = await comanda(...words, '--json');
    expect(refused.code).toBe(1);
    await callComanda({ DATABASE_URL: api.databaseUrl }, 'locations', 'enable', to);
    await expect
      .poll(async () => (await at.to.products.list.query({})).data, { timeout: 10_000 })
      .toEqual([]);
  });
});
