import { expect } from 'vitest';
import { json } from '../../support/money.ts';
import type { OfferedProduct } from './offer.ts';
import { atOnce, dataIn } from './restaurant.ts';
import type { Service } from './service.ts';

/** One item of a stock sync: what is left out keeps its value. */
export interface Correction {
  product: OfferedProduct;
  by: 'product_id' | 'external_id' | 'sku';
  milli: bigint;
  enabled?: boolean;
  alarmMilli?: bigint;
}

/** Sets stock while no orders arrive, with an unknown item among the others; that one fails alone. */
export async function correctStock(service: Service, turn: number, corrections: readonly Correction[]) {
  const items = [...corrections.map(itemOf), { external_id: 'an unknown item', quantity: 1 }];
  const answer = await service.restaurant.call(turn, 'POST /v2/stock/sync', { body: { items } });
  expect(dataIn(answer)).toEqual({
    total_items: items.length,
    success_items: corrections.length,
    failed_items: 1,
    errors: [{ index: corrections.length, code: 'resource_not_found', message: expect.any(String) }],
  });
  for (const correction of corrections) note(service, correction);
}

/**
 * Two syncs of the same products at once, in opposite order, during the orders of others. Each is one transaction,
 * so one of them has the last word on every product. Returns whether they met.
 */
export async function raceStock(service: Service, products: readonly OfferedProduct[], round: number) {
  const batch = (milli: bigint) =>
    products.map((product): Correction => ({ product, by: 'product_id', milli, enabled: true }));
  const batches = [batch(BigInt(round) * 1_000n + 1n), batch(BigInt(round) * 1_000n + 2n).reverse()];
  const { results, real } = await atOnce(
    batches.map((corrections, turn) => () => {
      const body = { items: corrections.map(itemOf) };
      return service.restaurant.call(turn, 'POST /v2/stock/sync', { body });
    }),
  );
  for (const answer of results)
    expect(dataIn(answer)).toMatchObject({ success_items: products.length, errors: [] });
  const listed = await readStock(service);
  const last = batches.findIndex((corrections) =>
    corrections.every(({ product, milli }) => listed.get(product.id)?.stock.quantity === json(milli, 3)),
  );
  expect(last, 'one batch has the last word on every product').toBeGreaterThan(-1);
  for (const correction of batches[1 - last] ?? []) note(service, correction);
  for (const correction of batches[last] ?? []) note(service, correction);
  return real;
}

/** An entry of the stock listing. */
export interface StockEntry {
  product_id: string;
  stock: { enabled: boolean; quantity: number; min_stock_alarm: number };
  updated_at: string;
}

/** The whole listing, by product. */
export async function readStock({ restaurant }: Service): Promise<Map<string, StockEntry>> {
  const entries = new Map<string, StockEntry>();
  for (let offset = 0; ; offset += 200) {
    const page = dataIn<StockEntry[]>(
      await restaurant.call(offset / 200, `GET /v2/stock?limit=200&offset=${offset}`),
    );
    for (const entry of page) entries.set(entry.product_id, entry);
    if (page.length < 200) return entries;
  }
}

/** The stock that the listing must show. */
export const expectedStock = (products: readonly OfferedProduct[]): Map<string, unknown> =>
  new Map(
    products.flatMap(({ id, externalId, sku, name, stock }) => {
      if (stock === undefined) return [];
      const { enabled, milli, alarmMilli } = stock;
      const shown = { enabled, quantity: json(milli, 3), min_stock_alarm: json(alarmMilli, 3) };
      const entry = { product_id: id, external_id: externalId, sku, name, stock: shown };
      return [[id, { ...entry, updated_at: expect.any(String) }]];
    }),
  );

function itemOf({ product, by, milli, enabled, alarmMilli }: Correction): Record<string, unknown> {
  const names = { product_id: product.id, external_id: product.externalId, sku: product.sku };
  return {
    [by]: names[by],
    quantity: json(milli, 3),
    ...(enabled !== undefined && { enabled }),
    ...(alarmMilli !== undefined && { min_stock_alarm: json(alarmMilli, 3) }),
  };
}

// A correction that changes nothing is no event.
function note({ tally }: Service, { product, milli, enabled, alarmMilli }: Correction): void {
  const before = product.stock;
  const after = {
    enabled: enabled ?? before?.enabled ?? true,
    milli,
    alarmMilli: alarmMilli ?? before?.alarmMilli ?? 0n,
  };
  const same =
    before?.enabled === after.enabled &&
    before.milli === after.milli &&
    before.alarmMilli === after.alarmMilli;
  if (!same) tally.stockEvents += 1;
  product.stock = after;
}
