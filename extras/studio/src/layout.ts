import { keptInStudio, tables } from '@comanda/db';

/**
 * Arrows that no foreign key of two columns says: from a column to the column of the rows it leads to. Every
 * `location_id` leads to its restaurant besides.
 */
export const arrows: Readonly<Record<string, string>> = {
  'orders.created_by': 'api_keys.id',
  'order_items.product_id': 'products.id',
  'webhook_deliveries.endpoint_id': 'webhook_endpoints.id',
  'webhook_attempts.endpoint_id': 'webhook_endpoints.id',
  'webhook_attempts.event_id': 'events.id',
  'audit_entries.api_key_id': 'api_keys.id',
  'audit_entries.caused_by': 'audit_entries.id',
  'audit_entries.undo_of': 'audit_entries.id',
  'orders_today.id': 'orders.id',
  'order_events.order_id': 'orders.id',
  'order_events.id': 'events.id',
  'failing_deliveries.order_id': 'orders.id',
  'failing_deliveries.endpoint_id': 'webhook_endpoints.id',
  'failing_deliveries.event_id': 'events.id',
  'failing_deliveries.id': 'webhook_deliveries.id',
  'low_stock.product_id': 'products.id',
};

/**
 * The column with which a person identifies a row, where rows of other tables name it by its id: they show it as
 * well.
 */
export const nameColumns: Readonly<Record<string, string>> = {
  locations: 'name',
  api_keys: 'name',
  payment_methods: 'name',
  turns: 'batch_number',
  settlements: 'batch_number',
  categories: 'name',
  menus: 'name',
  products: 'name',
  subselections: 'name',
  subselection_items: 'name',
  orders: 'number',
  webhook_endpoints: 'url',
  events: 'type',
};

/** Tables of `public` that are not for people. */
export const hiddenTables: readonly string[] = ['_prisma_migrations'];

/** Columns that say nothing to a person: hashes, and what is derived for a search. */
export const hiddenColumns: readonly string[] = [
  'api_keys.key_hash',
  'products.search_text',
  'products.sku_twin',
  ...['categories', 'products', 'subselections', 'subselection_items', 'orders'].map(
    (table) => `${table}.external_id_twin`,
  ),
];

/** Columns so long that they come after all others. */
export const lateColumns: readonly string[] = ['events.body', 'events.body_v1', 'sync_jobs.items'];

/** Tables that people edit whose rows they never delete, and what to do instead. */
export const keptRows: Readonly<Record<string, string>> = Object.fromEntries(
  tables.flatMap((table) => {
    const sentence = keptInStudio(table);
    return sentence === undefined ? [] : [[table.name, sentence]];
  }),
);
