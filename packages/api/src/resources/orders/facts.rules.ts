import type { AppliedAdjustment } from './adjustments.rules.ts';
import type { OrderCreate } from './schema.ts';

/** The content of a creation, in either family. */
export type OrderRequest = OrderCreate;

/**
 * The data read for a new order. Prices and quantities are decimal text, as Postgres gives them. A version covers all
 * of it except the remaining stock: it is another once any of that is.
 */
export interface OrderFacts {
  products: ReadonlyMap<string, KnownProduct>;
  /** The subselections of each product, by product id. */
  subselections: ReadonlyMap<string, readonly KnownSubselection[]>;
  choices: ReadonlyMap<string, KnownChoice>;
  /** Whether the payment method is enabled; undefined when the location has none of that id. */
  paymentMethodEnabled: boolean | undefined;
}

/** A product that may be ordered; `left` only when its stock is counted. */
export interface KnownProduct {
  name: string;
  price: string;
  externalId?: string | undefined;
  left?: string | undefined;
  version: string;
}

/** A choice that belongs to a product. */
export interface KnownSubselection {
  id: string;
  name: string;
  min: number;
  max: number;
  single: boolean;
}

/** An item of a subselection; `left` only when its stock is counted. */
export interface KnownChoice {
  productId: string;
  subselectionId: string;
  name: string;
  price: string;
  min: number;
  max: number;
  left?: string | undefined;
  version: string;
}

/** An order that may be made: priced lines, and what they take from stock. Decimals are text. */
export interface PricedOrder {
  /** The sum of the lines. */
  subtotal: string;
  /** The same with the adjustments. */
  total: string;
  /** Undefined without any. */
  adjustments?: AppliedAdjustment[];
  lines: PricedLine[];
  products: Wanted[];
  choices: Wanted[];
}

/** A line as it is stored. */
export interface PricedLine {
  product_id: string;
  name: string;
  unit_price: string;
  quantity: string;
  total: string;
  comment?: string;
  selections: { item_id: string; quantity: number; name: string; price: number }[];
}

/** How much of one product or item the whole order wants, and where it says so; in thousandths. */
export interface Wanted {
  id: string;
  version: string;
  quantity: bigint;
  uses: { path: string; quantity: bigint }[];
}
