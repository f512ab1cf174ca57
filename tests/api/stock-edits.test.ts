import { createClient } from '@comanda/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { Product } from '../../packages/api/src/resources/products/schema.ts';
import { cellsOf } from '../../packages/app/src/desk/csv-cells.ts';
import { compare } from '../../packages/app/src/desk/csv-products.ts';
import { readCsv } from '../../packages/app/src/desk/csv-text.ts';
import { ChangedSince, writeLine } from '../../packages/app/src/desk/csv-write.ts';
import { changeStock, markSoldOut, stockTexts } from '../../packages/app/src/desk/stock-edits.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { orderBody, postOrder } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';

const api = useApi();
const site = useNewPlace(api);
let product: string;

beforeEach(async () => {
  product = await site.make.product({ sku: 'a', stock: { quantity: 10, minStockAlarm: 2, enabled: true } });
});

const read = () => site.client().products.get.query({ id: product });
const left = async () => (await read()).stock.quantity;
const patch = (body: object, id = product, family = 'v2') =>
  site.rest(`PATCH /${family}/products/${id}`, { body });
async function sell(quantity: number): Promise<void> {
  const paymentMethodId = await site.make.paymentMethod();
  const items = [{ product_id: product, quantity }];
  const { status } = await postOrder(site, orderBody({ productId: product, paymentMethodId }, { items }));
  expect(status).toBe(201);
}

describe('an order of 4 that is placed while the desk writes is not given back', () => {
  /** A client that has one thing done right before its first change of a product is sent. */
  function meanwhile(act: () => Promise<unknown>) {
    let isDone = false;
    const onRequest = async ({ path }: { path: string }) => {
      if (isDone || path !== 'products.update') return;
      isDone = true;
      await act();
    };
    return createClient({ url: api.url, key: site.token, onRequest });
  }

  const line = async (cells: string) => {
    const { changes } = compare(readCsv(`sku,price,stock\n${cells}`), [await read()], []);
    expect(changes).toHaveLength(1);
    return changes[0] as (typeof changes)[number];
  };
  const never = new AbortController().signal;

  it('by a line of a file: it is reported with what is there, and nothing of it is written', async () => {
    const change = await line('a,99,12');
    const writing = writeLine(
      meanwhile(() => sell(4)),
      change,
      [],
      'once',
      never,
    );
    await expect(writing).rejects.toMatchObject(new ChangedSince('stock: 6'));
    expect(cellsOf(await read(), [], '.')).toMatchObject({ stock: '6', price: change.before?.price });
  });

  it('by a line that leaves the stock as it is', async () => {
    await writeLine(
      meanwhile(() => sell(4)),
      await line('a,99,'),
      [],
      'once',
      never,
    );
    expect(await read()).toMatchObject({ price: 99, stock: { quantity: 6 } });
  });

  it('by a line whose product gets another name meanwhile: the stock is written', async () => {
    const rename = () => site.client().products.update.mutate({ id: product, name: 'Other' });
    await writeLine(meanwhile(rename), await line('a,99,12'), [], 'once', never);
    expect(await read()).toMatchObject({ name: 'Other', price: 99, stock: { quantity: 12 } });
  });

  it('by the form: a count is refused, and an alarm is written alone', async () => {
    const seen = stockTexts(await read());
    const counting = changeStock(
      meanwhile(() => sell(4)),
      product,
      { quantity: '12' },
      seen,
    );
    await expect(counting).rejects.toMatchObject({ message: 'There are 6, not 10.' });
    await changeStock(
      meanwhile(() => sell(4)),
      product,
      { alarm: '5' },
      seen,
    );
    expect((await read()).stock).toEqual({ enabled: true, quantity: 2, min_stock_alarm: 5 });
    await changeStock(
      meanwhile(() => sell(1)),
      product,
      { enabled: 'false' },
      seen,
    );
    expect((await read()).stock).toEqual({ enabled: false, quantity: 1, min_stock_alarm: 5 });
  });

  it('by "sold out": nothing is left, and goods that came in meanwhile are not lost', async () => {
    await markSoldOut(
      meanwhile(() => sell(4)),
      product,
      10,
    );
    expect((await read()).stock).toEqual({ enabled: true, quantity: 0, min_stock_alarm: 2 });
    const come = () =>
      site.client().stock.adjust.mutate({ id: product, adjust: 12, idempotencyKey: 'goods in' });
    await expect(markSoldOut(meanwhile(come), product, 0)).rejects.toMatchObject({
      message: 'There are 12, not 0.',
    });
    expect(await left()).toBe(12);
  });
});

describe('`stock_change` of a product', () => {
  it('with another quantity than expected changes nothing of the product', async () => {
    const before = await read();
    const expected = { stock_change: { quantity: 3, expected: 9 } };
    for (const body of [
      { ...expected, price: 1 },
      { ...expected, category_ids: [], sku: 'other' },
    ]) {
      const answer = await patch(body);
      expect(refusalOf(answer, 409, 'conflict')).toBe('There are 10, not 9.');
      expect(answer.headers.get('x-error-reason')).toBe('stock_changed');
    }
    expect(await read()).toEqual(before);
    const met = await patch({ price: 1, stock_change: { quantity: 3, expected: 10 } });
    expect(dataOf(met, 200, Product)).toMatchObject({ price: 1, stock: { quantity: 3, min_stock_alarm: 2 } });
  });

  it('makes the record of a product without one, which shows 0', async () => {
    const other = await site.make.product({ sku: 'none' });
    refusalOf(await patch({ stock_change: { quantity: 3, expected: 1 } }, other), 409, 'conflict');
    const { stock } = dataOf(await patch({ stock_change: { min_stock_alarm: 2 } }, other), 200, Product);
    expect(stock).toEqual({ enabled: false, quantity: 0, min_stock_alarm: 2 });
    const third = await site.make.product({ sku: 'third' });
    const counted = await patch({ stock_change: { enabled: true, quantity: 3, expected: 0 } }, third);
    expect(dataOf(counted, 200, Product).stock).toEqual({ enabled: true, quantity: 3, min_stock_alarm: 0 });
  });

  it('is unknown to v1, and of several that come at once one is met', async () => {
    const answer = await patch({ stock_change: { quantity: 3, expected: 10 } }, product, 'v1');
    expect(answer.headers.get('x-ignored-fields')).toBe('stock_change');
    const bodies = [1, 2, 3, 4].map((quantity) => ({ stock_change: { quantity, expected: 10 } }));
    const statuses = (await Promise.all(bodies.map((body) => patch(body)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
  });

  it.each([
    ['expected: is required with quantity', { quantity: 1 }],
    ['quantity: is required', { expected: 1 }],
    ['must have quantity, enabled or min_stock_alarm', {}],
  ])('is refused: %s', async (message, stock_change) => {
    expect(refusalOf(await patch({ stock_change }), 422, 'validation_error')).toContain(message);
  });

  it('is refused together with `stock`', async () => {
    const stock = { enabled: true, quantity: 1, min_stock_alarm: 0 };
    const refused = refusalOf(
      await patch({ stock, stock_change: { enabled: true } }),
      422,
      'validation_error',
    );
    expect(refused).toContain('stock_change: must not be given together with stock');
  });
});
