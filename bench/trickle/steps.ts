import { placeOrder } from '../company.ts';
import { sendTo, unused } from '../operations/stage.ts';
import type { Shop } from '../shop.ts';

/** One step of a load over locations, in turn. */
export type Step = (at: number) => Promise<void>;

let price = 100;

/** A price that no product has had yet, so that each change is one. */
function newPrice(): number {
  price += 0.01;
  return Number(price.toFixed(2));
}

/** A new price at the next location. */
export function priceSteps(apiUrl: string, shops: readonly Shop[]): Step {
  return async (at) => {
    const { key, productIds } = shopAt(shops, at);
    const product = productIds[Math.floor(at / shops.length) % productIds.length];
    await sendTo(
      apiUrl,
      { method: 'PATCH', path: `/v2/products/${product}`, body: { price: newPrice() } },
      key,
    );
  };
}

/** The same at the simplest outbox, whose locations and products are those of the reference. */
export function outboxSteps(url: string, shops: readonly Shop[]): Step {
  return async (at) => {
    const { location, productIds } = shopAt(shops, at).reference;
    const product = productIds[Math.floor(at / shops.length) % productIds.length];
    const path = `/${location}/products/${product}`;
    await sendTo(url, { method: 'PATCH', path, body: { price: newPrice() } }, '');
  };
}

/** An order, then its move to ready, then to closed, each a step; the next order is of the next location. */
export function orderSteps(apiUrl: string, shops: readonly Shop[]): Step {
  let order: Promise<string> = Promise.reject(new Error('no order was made'));
  order.catch(() => {});
  return async (at) => {
    const turn = Math.floor(at / 3);
    const shop = shopAt(shops, turn);
    if (at % 3 === 0) {
      order = placeOrder(shop, apiUrl, unused('trickle'), turn * 3);
      await order;
      return;
    }
    const body = { status: at % 3 === 1 ? 'ready' : 'closed' };
    const moved = order.then(async (id) => {
      await sendTo(apiUrl, { method: 'PATCH', path: `/v2/orders/${id}/status`, body }, shop.key);
      return id;
    });
    // The next move waits for this one.
    order = moved;
    await moved;
  };
}

function shopAt(shops: readonly Shop[], at: number): Shop {
  const shop = shops[at % shops.length];
  if (shop === undefined) throw new Error('there is no location');
  return shop;
}
