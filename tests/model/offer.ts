import { json } from '../support/money.ts';

/** The stock left of a product or an option, in thousandths. */
export interface Stock {
  enabled: boolean;
  milli: bigint;
  /** Of a product. */
  alarmMilli: bigint;
}

/** An option of a choice. `id` is empty until the service has returned it. */
export interface Option {
  id: string;
  externalId: string;
  name: string;
  cents: bigint;
  min: number;
  max: number;
  stock?: Stock;
}

/** A choice of a product. */
export interface Choice {
  id: string;
  externalId: string;
  name: string;
  min: number;
  max: number;
  options: Option[];
}

/** A category. */
export interface Category {
  id: string;
  externalId: string;
  name: string;
  priority: number;
}

/** A product. A caller that has products of its own is the only one that orders and changes them. */
export interface Product {
  id: string;
  externalId: string;
  sku: string;
  name: string;
  cents: bigint;
  visible: boolean;
  categories: Category[];
  stock?: Stock;
  choices: Choice[];
  /** Ten-thousandths of a percent. */
  taxRate: bigint | undefined;
  /** The only caller that orders and changes it. */
  owner?: number;
}

/** Everything that the restaurant sells, in exact whole numbers. */
export interface Offer {
  categories: Category[];
  products: Product[];
}

/** So many products belong to each caller. */
const owned = 2;

/** 10 categories and 60 products that all callers share, with choices and stock on some, and products of each caller. */
export function createOffer(callers: number): Offer {
  // Equal priorities: then the name decides.
  const categories = Array.from({ length: 10 }, (_, index) => ({
    id: '',
    externalId: `cat-${index}`,
    name: `Category ${String((index * 7) % 10).padStart(2, '0')}`,
    priority: (9 - index) % 4,
  }));
  const product = (index: number, more: Partial<Product>): Product => ({
    id: '',
    externalId: `dish-${index}`,
    sku: `SKU-${index}`,
    name: `Dish ${String((index * 149) % 400).padStart(3, '0')} é`,
    // One is free: only what is chosen for it costs.
    cents: index === 12 ? 0n : BigInt(99 + ((index * 37) % 2_903)),
    visible: index % 50 !== 49,
    categories: categories.filter(
      (_, at) => at === index % 10 || (index % 7 === 0 && at === (index + 3) % 10),
    ),
    choices: [],
    taxRate: undefined,
    ...more,
  });
  const shared = Array.from({ length: 60 }, (_, index) => {
    const stock = stockOf(index);
    const choices = [...(index % 3 === 0 ? [extras(index)] : []), ...(index % 6 === 0 ? [sizes()] : [])];
    return product(index, { choices, ...(stock && { stock }) });
  });
  const own = Array.from({ length: callers * owned }, (_, index) =>
    product(100 + index, {
      owner: Math.floor(index / owned),
      stock: { enabled: true, milli: 20_000n, alarmMilli: 0n },
    }),
  );
  return { categories, products: [...shared, ...own] };
}

/** Of what there is little, so that buyers are refused. */
export const isScarce = ({ stock, owner }: Product): boolean =>
  owner === undefined && stock?.enabled === true && stock.milli <= 9_000n;

function stockOf(index: number): Stock | undefined {
  if (index % 40 === 20) return { enabled: true, milli: 3_000n, alarmMilli: 1_000n };
  if (index % 16 === 8) return { enabled: false, milli: 5_500n, alarmMilli: 0n };
  if (index % 4 === 0) return { enabled: true, milli: 5_000_000n + BigInt(index), alarmMilli: BigInt(index) };
  return undefined;
}

function extras(index: number): Choice {
  const option = (at: number, cents: bigint, min: number, max: number): Option => ({
    id: '',
    externalId: `extra-${at}`,
    name: `Extra ${at}`,
    cents,
    min,
    max,
    ...(at === 0 && index % 9 === 0 && { stock: { enabled: true, milli: 9_000_000n, alarmMilli: 0n } }),
  });
  const options = [option(0, 35n, 0, 3), option(1, 1_05n, 0, 3), option(2, 49n, 2, 3), option(3, 0n, 0, 1)];
  return { id: '', externalId: 'extras', name: 'Extras', min: 0, max: 3, options };
}

function sizes(): Choice {
  const option = (name: string, cents: bigint): Option => ({
    id: '',
    externalId: `size-${name}`,
    name,
    cents,
    min: 0,
    max: 1,
  });
  const options = [option('small', 0n), option('medium', 1_10n), option('large', 2_25n)];
  return { id: '', externalId: 'size', name: 'Size', min: 1, max: 1, options };
}

/** The body of a catalog sync that says all of it. */
export const wholeSync = ({ categories, products }: Offer): Record<string, unknown> => ({
  mode: 'replace',
  categories: categories.map((category) => ({
    external_id: category.externalId,
    name: category.name,
    priority: category.priority,
    products: products.filter((product) => product.categories.includes(category)).map(productBody),
  })),
});

function productBody(product: Product): Record<string, unknown> {
  return {
    external_id: product.externalId,
    sku: product.sku,
    name: product.name,
    description: `Of ${product.name}`,
    price: json(product.cents),
    visible: product.visible,
    ...(product.stock && {
      stock: { ...shownStock(product.stock), min_stock_alarm: json(product.stock.alarmMilli, 3) },
    }),
    subselections: product.choices.map((choice) => ({
      external_id: choice.externalId,
      name: choice.name,
      min_selection: choice.min,
      max_selection: choice.max,
      items: choice.options.map(({ externalId, name, cents, min, max, stock }) => ({
        external_id: externalId,
        name,
        price: json(cents),
        min,
        max,
        ...(stock && { stock: shownStock(stock) }),
      })),
    })),
  };
}

/** An entry of the tree of `GET /v2/catalog`, as far as ids are taken from it. */
export interface CatalogNode {
  id: string;
  external_id?: string;
  products?: CatalogNode[];
  subselections?: CatalogNode[];
  items?: CatalogNode[];
}

/** Takes over the ids that the service has given to what is offered. */
export function adoptIds(offer: Offer, categories: CatalogNode[]): void {
  const of = (nodes: CatalogNode[] = [], externalId = ''): CatalogNode => {
    const found = nodes.find(({ external_id }) => external_id === externalId);
    if (found === undefined) throw new Error(`the catalog lacks ${externalId}`);
    return found;
  };
  for (const category of offer.categories) category.id = of(categories, category.externalId).id;
  for (const product of offer.products) {
    const found = of(of(categories, product.categories[0]?.externalId).products, product.externalId);
    product.id = found.id;
    for (const choice of product.choices) {
      const { id, items } = of(found.subselections, choice.externalId);
      choice.id = id;
      for (const option of choice.options) option.id = of(items, option.externalId).id;
    }
  }
}

/** The categories as the catalog must show them: by priority and name, their products by name. */
export const expectedCatalog = ({ categories, products }: Offer): unknown[] =>
  [...categories]
    .sort((one, other) => one.priority - other.priority || byName(one, other))
    .map((category) => ({
      id: category.id,
      external_id: category.externalId,
      name: category.name,
      visible: true,
      products: products
        .filter((product) => product.categories.includes(category))
        .sort(byName)
        .map((product) => ({
          id: product.id,
          external_id: product.externalId,
          sku: product.sku,
          name: product.name,
          price: json(product.cents),
          visible: product.visible,
          stock: shownStock(product.stock),
          subselections: product.choices.map((choice) => ({
            id: choice.id,
            external_id: choice.externalId,
            name: choice.name,
            min_selection: choice.min,
            max_selection: choice.max,
            single: choice.max === 1,
            items: choice.options.map(({ id, externalId, name, cents, min, max, stock }) => ({
              id,
              external_id: externalId,
              name,
              price: json(cents),
              min,
              max,
              visible: true,
              stock: shownStock(stock),
            })),
          })),
        })),
    }));

/** The entries of the stock listing, by product. */
export const expectedStock = ({ products }: Offer): Map<string, unknown> =>
  new Map(
    products.flatMap(({ id, externalId, sku, name, stock }) => {
      if (stock === undefined) return [];
      const shown = { ...shownStock(stock), min_stock_alarm: json(stock.alarmMilli, 3) };
      return [[id, { product_id: id, external_id: externalId, sku, name, stock: shown }]];
    }),
  );

const shownStock = (stock: Stock | undefined) => ({
  enabled: stock?.enabled ?? false,
  quantity: json(stock?.milli ?? 0n, 3),
});

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
