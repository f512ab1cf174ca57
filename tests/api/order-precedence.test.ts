import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);
const external_id = `PO-${randomUUID()}`;
let order: string;
/** The fields that an order may lack, each by itself. */
let lacks: Record<'stock' | 'product' | 'method', object>;

beforeAll(async () => {
  const { locationId } = api;
  const last = await api.make.product({ locationId, stock: { quantity: 1 } });
  const items = [{ product_id: last, quantity: 1 }];
  ({ id: order } = await kitchen.place({ external_id, items }));
  const method = await api.make.paymentMethod({ locationId, enabled: false });
  lacks = {
    stock: { items },
    product: { items: [{ product_id: randomUUID(), quantity: 1 }] },
    method: { payment_method_id: method },
  };
});

describe.each(['stock', 'product', 'method'] as const)(
  'an order that was made and now lacks its %s',
  (lacking) => {
    it('is refused as taken when it is sent again under another key, not for what it lacks', async () => {
      const answer = await kitchen.post({ external_id, ...lacks[lacking] });
      expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([409, 'external_id_taken']);
      expect(answer.text).toContain(order);
    });

    it('is quoted with that refusal first', async () => {
      const { body } = await api.rest<{ data: { refusals: { reason: string }[] } }>('POST /v2/orders/quote', {
        body: kitchen.body({ external_id, ...lacks[lacking] }),
      });
      const reasons = body.data.refusals.map(({ reason }) => reason);
      expect(reasons).toHaveLength(2);
      expect(reasons[0]).toBe('external_id_taken');
    });
  },
);
