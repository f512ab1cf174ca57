import type { Operation } from '../call/operations.ts';

/** `orders.create` and `v1.orders.create` both as `ordersCreate`; unique within a document. */
export function operationId({ name }: Pick<Operation, 'name'>): string {
  return name.replace(/^v1\./, '').replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The component that an operation's body is: its schema's own name, else `orders.create` takes an `OrderCreate`. */
export function bodyName({ name, input }: Pick<Operation, 'name' | 'input'>): string {
  const own = input.meta()?.id;
  if (own !== undefined) return own;
  const [resource = '', verb = ''] = name.replace(/^v1\./, '').split('.');
  return capital(resource.replace(/ies$/, 'y').replace(/s$/, '')) + capital(verb);
}

/** The component that an operation's answer is, named after what it carries: `OrderResponse`, `ProductPage`. */
export function answerName({ name, isList }: Pick<Operation, 'name' | 'isList'>, schema: unknown): string {
  const { data } =
    (schema as { properties?: { data?: Named & { items?: Named } } } | undefined)?.properties ?? {};
  const carried = (data?.$ref ?? data?.items?.$ref)?.replace(/^.*\//, '');
  if (carried === undefined) throw new Error(`${name}: what it answers needs an id in its schema`);
  return carried + (isList ? 'Page' : 'Response');
}

interface Named {
  $ref?: string;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * The groups of the documents, in the order a reader meets them, by the router's name of the resource. One without a
 * row comes after them, under its name.
 */
const rows = [
  ['orders', 'Orders', 'Create, follow and cancel orders.'],
  ['products', 'Products', 'Items for sale, with price and stock.'],
  ['priceChanges', 'Planned prices', 'Prices that change at a planned moment.'],
  ['categories', 'Categories', 'How products are grouped.'],
  ['stock', 'Stock', 'How much of each product is left.'],
  ['catalog', 'Catalog', 'Categories, products, subselections and items as one tree.'],
  ['menus', 'Menus', 'Menus published to guests.'],
  ['payments', 'Payments', 'Payments of orders.'],
  ['paymentMethods', 'Payment methods', 'The ways to pay at the location.'],
  ['turns', 'Turns', 'Operating shifts, from opening to closing.'],
  ['settlements', 'Settlements', 'The frozen totals of closed turns.'],
  ['salesReports', 'Sales reports', 'Sales by day, product, category, payment method or channel.'],
  ['syncJobs', 'Sync jobs', 'Batches that are applied in the background.'],
  ['webhookEndpoints', 'Webhooks', 'Endpoints that receive events, and their deliveries.'],
  ['events', 'Events', 'The feed of what happened.'],
  ['locations', 'Location', 'The location that the key belongs to.'],
  ['sandbox', 'Sandbox', 'A test location and its reset.'],
  [
    'certifications',
    'Certification',
    'The service plays a day with your integration in a sandbox, and judges it.',
  ],
  ['limits', 'Limits', 'The limits of the key and their use.'],
] as const;

/** A tag of the documents. */
interface Tag {
  name: string;
  description: string;
}

const groups = new Map(
  rows.map(([resource, name, description]) => [resource as string, { name, description }]),
);

/** The tags of these operations. */
export function tagsOf(operations: readonly Operation[]): Tag[] {
  const made = operations.map((operation) => tagOf(operation));
  const others = new Map(made.map((tag) => [tag.name, tag]));
  for (const { name } of groups.values()) others.delete(name);
  const used = new Set(made.map(({ name }) => name));
  return [...[...groups.values()].filter(({ name }) => used.has(name)), ...others.values()];
}

/** The tag of an operation: that of its resource above, or one made of the resource's name. */
export function tagOf({ name }: Pick<Operation, 'name'>): Tag {
  const [resource = ''] = name.replace(/^v1\./, '').split('.');
  const words = resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return groups.get(resource) ?? { name: title, description: `${title} of the location.` };
}
