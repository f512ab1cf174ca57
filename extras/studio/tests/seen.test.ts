import { expect, it } from 'vitest';
import { createProduct } from '../../../tests/support/factories.ts';
import { beginIn } from '../../../tests/support/session.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { useWorkerKit } from '../../../tests/worker/kit.ts';
import { ask, startStudio } from './run.ts';

const kit = useWorkerKit();
const ana = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));

const price = async (id: string) =>
  (await kit.sql('select price::float from products where id = $1', [id]))[0]?.price;
const product = () => createProduct(kit.database, { locationId: kit.locationId, price: 95 });

/** An edit as the page sends it, with the values that its grid showed. */
const edit = (id: string, to: number, seen: unknown) => ({
  sql: 'update "public"."products" set "price" = $1 where ("id" = $2)',
  parameters: [to, id],
  seen,
});
const send = (query: object) => ask(ana.origin, { procedure: 'query', query }, ana.headers);

it('an edit is refused with all three values where the value is another one than the grid showed', async () => {
  const id = await product();
  await kit.sql('update products set price = 140 where id = $1', [id]);
  const { refusal } = await send(edit(id, 150, { price: '95' }));
  expect(refusal?.message).toBe(
    'products.price: another person changed it from "95" to "140", and you typed 150. Nothing was written. ' +
      'Press the round arrow at the top right; then save yours again, or discard it.',
  );
  expect(await price(id)).toBe(140);
  expect((await send(edit(id, 150, { price: '140' }))).refusal).toBeNull();
  expect(await price(id)).toBe(150);
});

it('of several edits none is written where one of them is refused', async () => {
  const [first, second] = [await product(), await product()];
  await kit.sql('update products set price = 140 where id = $1', [second]);
  const queries = [edit(first, 1, { price: '95' }), edit(second, 2, { price: '95' })];
  const body = { procedure: 'transaction', queries };
  expect((await ask(ana.origin, body, ana.headers)).refusal?.message).toContain('from "95" to "140"');
  expect([await price(first), await price(second)]).toEqual([95, 140]);
});

it('an edit waits for a change that is under way, and is refused when that is committed', async () => {
  const id = await product();
  const client = await beginIn(kit.database.pool);
  await client.query('update products set price = 140 where id = $1', [id]);
  const waiting = send(edit(id, 150, { price: '95' }));
  const held = `select from pg_stat_activity where application_name = 'ana' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await kit.sql(held)).length, { timeout: 20_000 }).toBe(1);
  await client.query('commit');
  expect((await waiting).refusal?.message).toContain('from "95" to "140"');
  expect(await price(id)).toBe(140);
});

it('an edit of a row that was deleted says so', async () => {
  const id = await product();
  await kit.sql('delete from products where id = $1', [id]);
  expect((await send(edit(id, 150, { price: '95' }))).refusal?.message).toBe(
    'products: the row is no longer there',
  );
});

it('columns that the edit does not write are not compared', async () => {
  const id = await product();
  expect((await send(edit(id, 150, { price: '95', name: 'Another name', nothing: 1 }))).refusal).toBeNull();
  expect(await price(id)).toBe(150);
});
