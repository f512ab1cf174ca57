import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { createOrderKitchen, postOrder, useOrderKitchen } from '../support/orders.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const refused = (overrides: Record<string, unknown>, path?: string) => kitchen.refuse(overrides, path);

describe('POST /v2/orders answers 422', () => {
  it('naming every failing field of the body, at most ten', async () => {
    const faults = refusalOf(await postOrder(api, {}), 422, 'validation_error').split('; ');
    const required = ['external_id', 'is_take_away', 'identifier', 'items', 'payment_method_id'];
    expect(new Set(faults.map((fault) => fault.split(':')[0]))).toEqual(new Set(required));
    const items = Array.from({ length: 12 }, () => ({ product_id: 7 }));
    expect(await refused({ items })).toMatch(/; and more$/);
  });

  it('naming unknown products, items and methods together', async () => {
    const message = await refused({
      items: [
        { product_id: randomUUID(), quantity: 1 },
        { product_id: 'not an id', quantity: 1 },
        { product_id: kitchen.productId, quantity: 1, subselections: [{ item_id: 'x', quantity: 1 }] },
      ],
      payment_method_id: randomUUID(),
    });
    expect(message.split('; ')).toEqual([
      'items[0].product_id: unknown product',
      'items[1].product_id: unknown product',
      'items[2].subselections[0].item_id: unknown item of this product',
      'payment_method_id: unknown payment method',
    ]);
  });

  it("for another location's product, item and method, as if they did not exist", async () => {
    const elsewhere = await api.place();
    const there = await createOrderKitchen(elsewhere);
    const { itemIds } = await elsewhere.make.subselection({ productId: there.productId, items: [{}] });
    const message = await refused({
      items: [
        { product_id: there.productId, quantity: 1 },
        { product_id: kitchen.productId, quantity: 1, subselections: [{ item_id: itemIds[0], quantity: 1 }] },
      ],
      payment_method_id: there.paymentMethodId,
    });
    expect(message.split('; ')).toEqual([
      'items[0].product_id: unknown product',
      'items[1].subselections[0].item_id: unknown item of this product',
      'payment_method_id: unknown payment method',
    ]);
  });

  it('for a payment method that is disabled', async () => {
    const disabled = await api.make.paymentMethod({ enabled: false });
    expect(await refused({ payment_method_id: disabled })).toBe('payment_method_id: is disabled');
  });

  it('for a total beyond the largest amount', async () => {
    const dear = await api.make.product({ price: 9_999_999_999.99 });
    await kitchen.place({ items: [{ product_id: dear, quantity: 1 }] });
    expect(await refused({ items: [{ product_id: dear, quantity: 1.001 }] })).toBe(
      'items: the total is more than 9999999999.99',
    );
  });

  const item = (overrides: object) => ({ items: [{ product_id: 'p', quantity: 1, ...overrides }] });
  const chosen = (quantity: number) => item({ subselections: [{ item_id: 'i', quantity }] });
  it.each<[string, Record<string, unknown>, string]>([
    ['quantity 0', item({ quantity: 0 }), 'items[0].quantity'],
    ['a negative quantity', item({ quantity: -1 }), 'items[0].quantity'],
    ['four decimals', item({ quantity: 1.0001 }), 'items[0].quantity'],
    ['too large a quantity', item({ quantity: 1e10 }), 'items[0].quantity'],
    ['a quantity as text', item({ quantity: '1' }), 'items[0].quantity'],
    ['no quantity', item({ quantity: undefined }), 'items[0].quantity'],
    ['a comment of 1,001 characters', item({ comment: '😀'.repeat(1_001) }), 'items[0].comment'],
    ['a comment that is null', item({ comment: null }), 'items[0].comment'],
    ['half a chosen item', chosen(1.5), 'items[0].subselections[0].quantity'],
    ['none of a chosen item', chosen(0), 'items[0].subselections[0].quantity'],
    ['an external_id of 256 characters', { external_id: '€'.repeat(256) }, 'external_id'],
    ['an empty external_id', { external_id: '' }, 'external_id'],
    ['a control character in external_id', { external_id: 'a\u0007' }, 'external_id'],
    ['U+0000 in the identifier', { identifier: 'a\0b' }, 'identifier'],
    ['an unpaired surrogate in a comment', item({ comment: '\ud83d' }), 'items[0].comment'],
    ['an empty channel', { channel: '' }, 'channel'],
    ['is_take_away as text', { is_take_away: 'true' }, 'is_take_away'],
    ['items that are an object', { items: {} }, 'items'],
  ])('for %s', async (_, overrides, path) => {
    expect((await refused(overrides)).startsWith(`${path}: `)).toBe(true);
  });

  it('but not for the longest texts, counted in code points', async () => {
    const [text, comment] = ['😀'.repeat(255), '😀'.repeat(1_000)];
    const items = [{ product_id: kitchen.productId, quantity: 1, comment }];
    const order = await kitchen.place({ external_id: text, channel: text, identifier: text, items });
    expect(order).toMatchObject({ external_id: text, items: [{ comment }] });
  });
});
