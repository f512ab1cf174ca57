import { type ComandaClient, comandaError } from '@comanda/client';
import { numberIn } from './number-in.ts';

type Product = Awaited<ReturnType<ComandaClient['products']['get']['query']>>;

/** The stock of a product as a form has it, each field as its text. */
export type StockTexts = Readonly<Record<'enabled' | 'quantity' | 'alarm', string>>;

/** The stock of a product as a form shows it. */
export const stockTexts = ({ stock: { enabled, quantity, min_stock_alarm } }: Pick<Product, 'stock'>) =>
  ({
    enabled: String(enabled),
    quantity: String(quantity),
    alarm: String(min_stock_alarm),
  }) satisfies StockTexts;

/** Writes the fields that a person changed, and no other. Rejects with `stock_changed` where the quantity is no longer the `seen` one. */
export function changeStock(
  comanda: ComandaClient,
  id: string,
  { enabled, quantity, alarm }: Partial<StockTexts>,
  seen: StockTexts,
) {
  return comanda.products.update.mutate({
    id,
    stock_change: {
      enabled: enabled === undefined ? undefined : enabled === 'true',
      quantity: quantity === undefined ? undefined : numberIn(quantity),
      expected: quantity === undefined ? undefined : numberIn(seen.quantity),
      min_stock_alarm: alarm === undefined ? undefined : numberIn(alarm),
    },
  });
}

/**
 * Makes a product one that cannot be ordered: its stock is counted, and none is left. An order that took some meanwhile changes
 * nothing of that. Rejects with `stock_changed` where there is more than the person has seen.
 */
export async function markSoldOut(comanda: ComandaClient, id: string, seen: number) {
  for (let expected = seen; ; ) {
    try {
      return await comanda.products.update.mutate({
        id,
        stock_change: { enabled: true, quantity: 0, expected },
      });
    } catch (error) {
      if (comandaError(error)?.reason !== 'stock_changed') throw error;
      const { quantity } = (await comanda.products.get.query({ id })).stock;
      if (quantity > expected) throw error;
      expected = quantity;
    }
  }
}
