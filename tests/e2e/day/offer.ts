import { json } from '../../support/money.ts';

/** The stock left of a product or option, in thousandths. */
export interface OfferedStock {
  enabled: boolean;
  milli: bigint;
  /** Of a product. */
  alarmMilli: bigint;
}

/** An option, as it is offered now. `id` is empty until the service has returned it. */
export interface OfferedItem {
  id: string;
  externalId: string;
  name: string;
  cents: bigint;
  min: number;
  max: number;
  stock?: OfferedStock;
}

/** A choice. */
export interface OfferedSubselection {
  externalId: string;
  name: string;
  min: number;
  max: number;
  items: OfferedItem[];
}

/** A product. `categories` are those that list it. */
export interface OfferedProduct {
  id: string;
  externalId: string;
  sku: string;
  name: string;
  cents: bigint;
  visible: boolean;
  categories: OfferedCategory[];
  stock?: OfferedStock;
  subselections: OfferedSubselection[];
}

/** A category. */
export interface OfferedCategory {
  id: string;
  externalId: string;
  name: string;
  priority: number;
}

/** Everything that the restaurant sells, in exact whole numbers. */
export interface Offer {
  categories: OfferedCategory[];
  products: OfferedProduct[];
}

/** Draws up the offer: 30 categories, 400 products, every seventh under two, with choices and stock on some. */
export function createOffer(): Offer {
  // Equal priorities on purpose: then the name decides.
  const categories = Array.from({ length: 30 }, (_, index) => ({
    id: '',
    externalId: `cat-${index}`,
    name: `Category ${String((index * 7) % 30).padStart(2, '0')}`,
    priority: (29 - index) % 10,
  }));
  const products = Array.from({ length: 400 }, (_, index): OfferedProduct => {
    const under = [index % 30, ...(index % 7 === 0 ? [(index + 11) % 30] : [])];
    const stock = stockOf(index);
    return {
      id: '',
      externalId: `dish-${index}`,
      sku: `SKU-${index}`,
      name: `Dish ${String((index * 149) % 400).padStart(3, '0')} é`,
      // One is free: only what is chosen for it costs.
      cents: index === 12 ? 0n : BigInt(99 + ((index * 37) % 2_903)),
      visible: index % 50 !== 49,
      categories: categories.filter((_, position) => under.includes(position)),
      ...(stock && { stock }),
      subselections: [...(index % 3 === 0 ? [extras(index)] : []), ...(index % 6 === 0 ? [sizes()] : [])],
    };
  });
  return { categories, products };
}

/** Of what there is little, so that buyers are refused. */
export const isScarce = ({ stock }: OfferedProduct): boolean =>
  stock?.enabled === true && stock.milli <= 9_000n;

function stockOf(index: number): OfferedStock | undefined {
  if (index % 40 === 20) return { enabled: true, milli: 3_000n, alarmMilli: 1_000n };
  if (index % 16 === 8) return { enabled: false, milli: 5_500n, alarmMilli: 0n };
  if (index % 4 === 0) return { enabled: true, milli: 500_000n + BigInt(index), alarmMilli: BigInt(index) };
  return undefined;
}

function extras(index: number): OfferedSubselection {
  const item = (position: number, cents: bigint, min: number, max: number): OfferedItem => ({
    id: '',
    externalId: `extra-${position}`,
    name: `Extra ${position}`,
    cents,
    min,
    max,
    ...(position === 0 && index % 9 === 0 && { stock: { enabled: true, milli: 900_000n, alarmMilli: 0n } }),
  });
  const items = [item(0, 35n, 0, 3), item(1, 1_05n, 0, 3), item(2, 49n, 2, 3), item(3, 0n, 0, 1)];
  return { externalId: 'extras', name: 'Extras', min: 0, max: 3, items };
}

function sizes(): OfferedSubselection {
  const item = (name: string, cents: bigint): OfferedItem => {
    return { id: '', externalId: `size-${name}`, name, cents, min: 0, max: 1 };
  };
  const items = [item('small', 0n), item('medium', 1_10n), item('large', 2_25n)];
  return { externalId: 'size', name: 'Size', min: 1, max: 1, items };
}

/** The body of a catalog sync that says all of it. */
export function wholeSync({ categories, products }: Offer): Record<string, unknown> {
  return {
    mode: 'replace',
    categories: categories.map((category) => ({
      external_id: category.externalId,
      name: category.name,
      priority: category.priority,
      products: products.filter((product) => product.categories.includes(category)).map(productBody),
    })),
  };
}

function productBody(product: OfferedProduct): Record<string, unknown> {
  return {
    external_id: product.externalId,
    sku: product.sku,
    name: product.name,
    description: `Of ${product.name}`,
    price: json(product.cents),
    visible: product.visible,
    ...(product.stock && {
      stock: { ...stockBody(product.stock), min_stock_alarm: json(product.stock.alarmMilli, 3) },
    }),
    subselections: product.subselections.map((choice) => ({
      external_id: choice.externalId,
      name: choice.name,
      min_selection: choice.min,
      max_selection: choice.max,
      items: choice.items.map((item) => ({
        external_id: item.externalId,
        name: item.name,
        price: json(item.cents),
        min: item.min,
        max: item.max,
        ...(item.stock && { stock: stockBody(item.stock) }),
      })),
    })),
  };
}

const stockBody = ({ enabled, milli }: OfferedStock) => ({ enabled, quantity: json(milli, 3) });
