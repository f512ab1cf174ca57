import { z } from 'zod';
import { Quantity, Timestamp } from '../../wire.ts';

/** The stock of a product, as the specification's Stock. */
export const Stock = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether orders take from it.' }),
    quantity: z.number().meta({ description: 'What is left, 3 decimals.', example: 24 }),
    min_stock_alarm: z.number().meta({ description: 'Where the alarm begins, 3 decimals.', example: 5 }),
  })
  .meta({ id: 'Stock', description: 'The stock of a product.' });
export type Stock = z.infer<typeof Stock>;

/** What sets the stock of a product: always all three. */
export const StockInput = z
  .object({ enabled: z.boolean(), quantity: Quantity, min_stock_alarm: Quantity })
  .meta({ id: 'StockInput' });
export type StockInput = z.infer<typeof StockInput>;

/** An entry of the stock listing, and the payload of `stock.updated`. */
export const StockEntry = z
  .object({
    product_id: z.string(),
    external_id: z.string().optional(),
    sku: z.string(),
    name: z.string(),
    stock: Stock,
    updated_at: Timestamp,
  })
  .meta({ id: 'StockEntry', description: 'The stock of one product, with what names the product.' });
export type StockEntry = z.infer<typeof StockEntry>;
