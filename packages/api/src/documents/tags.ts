import type { Operation } from '../operations.ts';

/** The groups of the documents, in the order a reader meets them; `resource` is the router's name for it. */
const rows = [
  ['orders', 'Orders', 'Create, follow and cancel orders.'],
  ['products', 'Products', 'What is sold, with its price and stock.'],
  ['categories', 'Categories', 'How products are grouped.'],
  ['stock', 'Stock', 'How much of each product is left.'],
  ['catalog', 'Catalog', 'Categories, products, subselections and items as one tree.'],
  ['menus', 'Menus', 'What is published to guests.'],
  ['payments', 'Payments', 'What was or will be paid for orders.'],
  ['paymentMethods', 'Payment methods', 'The ways to pay at the location.'],
  ['turns', 'Turns', 'Operating shifts, from opening to closing.'],
  ['settlements', 'Settlements', 'The frozen totals of closed turns.'],
  ['salesReports', 'Sales reports', 'Sales by day, product, category, payment method or channel.'],
  ['syncJobs', 'Sync jobs', 'Batches that are applied in the background.'],
  ['webhookEndpoints', 'Webhooks', 'Addresses that are told of events, and what was delivered to them.'],
  ['events', 'Events', 'The feed of what happened.'],
  ['locations', 'Location', 'The location that the key belongs to.'],
  ['limits', 'Limits', 'What the key may do and has left.'],
] as const;

/** The tags of the documents. */
export const tags = rows.map(([, name, description]) => ({ name, description }));

/** The tag of an operation. Throws when its resource has no row above. */
export function tagOf({ name }: Pick<Operation, 'name'>): string {
  const resource = name.replace(/^v1\./, '').split('.')[0];
  const row = rows.find(([known]) => known === resource);
  if (row === undefined) throw new Error(`${name}: documents/tags.ts has no row for ${resource}`);
  return row[1];
}
