import { expect } from 'vitest';
import { callRest } from '../../../tests/support/api.ts';

/** Where the calls of the day are that tests/outside recorded. */
export const playedCalls = 'extras/tryton/tests/calls.json';

/** An order as the till has it. */
export interface TillOrder {
  id: string;
  number: number;
  status: string;
  total: number;
  payment: { id: string };
}

/** A time zone in which midnight is far away, so that a day of a test is one day. */
export function middayZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  return ahead === 0 ? 'Etc/UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** The seller, who also takes money: kiosk and till in one. */
export class Till {
  readonly #url: string;
  readonly #looking: string;
  readonly #key: string;
  #method = '';
  #oat = '';
  readonly #products = new Map<string, string>();

  /** Its writes, and the reads for its orders, go to `url`; other reads go to `looking`. */
  constructor(url: string, looking: string, key: string) {
    this.#url = url;
    this.#looking = looking;
    this.#key = key;
  }

  async #look<Data>(route: string, url = this.#looking): Promise<Data> {
    const answer = await callRest<{ data: Data }>(url, route, { key: this.#key });
    expect(answer.status, `${route}: ${answer.text}`).toBe(200);
    return answer.body.data;
  }

  async #ask<Data>(route: string, body: unknown, key: string): Promise<Data> {
    const call = { key: this.#key, headers: { 'idempotency-key': key }, body };
    const answer = await callRest<{ data: Data }>(this.#url, route, call);
    expect(answer.status, `${route}: ${answer.text}`).toBeLessThan(300);
    return answer.body.data;
  }

  /** The calls of a till have no path of REST. */
  async #perform<Data>(name: string, input: unknown): Promise<Data> {
    const response = await fetch(`${this.#url}/trpc/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const { result } = (await response.json()) as { result: { data: Data } };
    expect(response.status, name).toBe(200);
    return result.data;
  }

  /** All products, or the one with this external id. */
  async products(code?: string): Promise<{ id: string; external_id: string; price: number }[]> {
    if (code !== undefined) return [await this.#look(`GET /v2/products/by-external-id/${code}`)];
    const all = await this.#look<{ id: string; external_id: string; price: number }[]>(
      'GET /v2/products?limit=200',
    );
    return all.sort((a, b) => (a.external_id < b.external_id ? -1 : 1));
  }

  /** The quantity left of a product. */
  async left(code: string): Promise<number> {
    const [found] = (await this.products(code)) as unknown as { stock: { quantity: number } }[];
    return found?.stock.quantity ?? -1;
  }

  async #idOf(code: string): Promise<string> {
    const known = this.#products.get(code) ?? (await this.products(code))[0]?.id ?? '';
    this.#products.set(code, known);
    return known;
  }

  async #place(name: string, items: readonly unknown[], more?: object): Promise<TillOrder> {
    this.#method ||= (await this.#look<{ id: string }[]>('GET /v2/payment-methods', this.#url))[0]?.id ?? '';
    const body = {
      external_id: name,
      is_take_away: true,
      identifier: `Guest ${name}`,
      payment_method_id: this.#method,
      items,
      ...more,
    };
    return this.#ask('POST /v2/orders', body, name);
  }

  /** Places an order of products and quantities, and what it carries beside them. */
  async order(name: string, lines: readonly [string, number][], more?: object): Promise<TillOrder> {
    const items = [];
    for (const [code, quantity] of lines) items.push({ product_id: await this.#idOf(code), quantity });
    return this.#place(name, items, more);
  }

  /** The restaurant gives the latte a choice, which the ERP knows nothing of. */
  async addChoices(): Promise<void> {
    const milk = {
      external_id: 'MILK',
      name: 'Milk',
      min_selection: 0,
      max_selection: 1,
      items: [{ external_id: 'OAT', name: 'Oat milk', price: 0.55 }],
    };
    const [latte] = await this.products('LAT');
    const product = {
      external_id: 'LAT',
      name: 'Caffè latte grande',
      price: latte?.price,
      subselections: [milk],
    };
    const body = { categories: [{ external_id: 'BAR', name: 'Bar', products: [product] }], include: ['ids'] };
    type Named = { ids: { type: string; id: string }[] };
    const { ids } = await this.#ask<Named>('POST /v2/catalog/sync', body, 'choices');
    this.#oat = ids.find(({ type }) => type === 'item')?.id ?? '';
  }

  /** Two of it, with what was chosen. */
  async orderLatteWithOatMilk(name: string): Promise<TillOrder> {
    return this.#place(name, [
      {
        product_id: await this.#idOf('LAT'),
        quantity: 2,
        comment: 'very hot',
        subselections: [{ item_id: this.#oat, quantity: 1 }],
      },
    ]);
  }

  /** Reads an order. */
  read(order: TillOrder): Promise<TillOrder> {
    return this.#look(`GET /v2/orders/${order.id}`);
  }

  /** All orders. */
  orders(): Promise<TillOrder[]> {
    return this.#look('GET /v2/orders?order=asc&limit=200');
  }

  /** Cancels for the guest. */
  async cancel(order: TillOrder): Promise<void> {
    await this.#ask(
      `POST /v2/orders/${order.id}/cancel`,
      { reason: 'changed their mind' },
      `cancel-${order.number}`,
    );
  }

  /** Deliveries of the newest endpoint. */
  async deliveries(): Promise<{ status: string }[]> {
    const [endpoint] = await this.#look<{ id: string }[]>('GET /v2/webhook-endpoints');
    return this.#look(`GET /v2/webhook-endpoints/${endpoint?.id}/deliveries?limit=200`);
  }

  /** Opens the turn. */
  async open(): Promise<void> {
    await this.#perform('turns.open', {});
  }

  /** Takes the money of an order. */
  async complete(order: TillOrder): Promise<void> {
    await this.#perform('payments.complete', {
      id: order.payment.id,
      idempotencyKey: `paid-${order.number}`,
    });
  }

  /** Closes the turn; gives what it collected, and of how many entries that is made. */
  async close(): Promise<{ collected: number; entries: number }> {
    await this.#perform('turns.close', {});
    const [settlement] = await this.#look<{ id: string; total_collected: number }[]>(
      'GET /v2/settlements?limit=1',
    );
    const entries = await this.#look<unknown[]>(`GET /v2/settlements/${settlement?.id}/entries?limit=200`);
    return { collected: settlement?.total_collected ?? 0, entries: entries.length };
  }

  /** The day in the restaurant. */
  async today(): Promise<string> {
    const [order] = await this.#look<{ created_at: string }[]>('GET /v2/orders?limit=1');
    return order?.created_at.slice(0, 10) ?? '';
  }
}
