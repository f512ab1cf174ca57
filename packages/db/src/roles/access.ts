/** A role of one database, whatever its full name. */
export type RoleKind = 'owner' | 'service' | 'admin' | 'reader';

/** What a role may do with rows: select, insert, update, delete, each by its letter. */
export type Letters = string;

/** Who may do what with the rows of a table. The owner may do everything. */
export interface TableAccess {
  /** With its schema, where that is not `public`. */
  table: string;
  service: Letters;
  /** Of every column, but for updates. */
  admin?: Letters;
  /** What an admin may update, separated by spaces. */
  columns?: string;
  reader?: Letters;
}

const seen = { admin: 's', reader: 's' };

/**
 * Every table of ours. What a person may write is held to guards besides (`prisma/sql/guarded.sql`); what a statement brings
 * about by triggers and foreign keys is done as the owner, so nobody needs a privilege for that.
 */
export const tableAccess: readonly TableAccess[] = [
  { table: 'locations', service: 'siud', ...seen, admin: 'si', columns: 'name timezone currency' },
  edited('categories', 'siud', 'external_id name priority visible image_url'),
  edited('products', 'siud', 'external_id sku name description price visible image_url'),
  edited('product_stock', 'siud', 'enabled quantity min_stock_alarm'),
  edited('product_categories', 'siud', 'product_id category_id'),
  edited('subselections', 'siud', 'product_id external_id name min_selection max_selection single position'),
  edited(
    'subselection_items',
    'siud',
    'subselection_id external_id name price min max visible image_url position stock_enabled stock_quantity',
  ),
  edited('menus', 'siud', 'name version is_published published_at'),
  edited('menu_categories', 'siud', 'menu_id category_id position'),

  edited('payment_methods', 'siud', 'name type enabled'),
  edited('turns', 'siud', 'status ended_at'),
  { table: 'settlements', service: 's', ...seen },
  edited('orders', 'siud', 'external_id status channel is_take_away identifier cancel_reason'),
  { table: 'order_items', service: 'siud', ...seen, admin: 'si' },
  { table: 'payments', service: 'siu', ...seen, admin: 'si', columns: 'status' },

  {
    ...{ table: 'api_keys', service: 'siud', ...seen },
    columns:
      'name permissions per_minute monthly batch_jobs_per_hour max_items_per_batch expires_at revoked_at',
  },
  {
    ...{ table: 'webhook_endpoints', service: 'siud', ...seen },
    ...{ admin: 'sd', columns: 'url events status api_version' },
  },
  { table: 'webhook_deliveries', service: 'siud', ...seen },
  { table: 'webhook_attempts', service: 'siud', ...seen },
  { table: 'events', service: 'siu', ...seen },
  { table: 'sync_jobs', service: 'siud', ...seen },
  { table: 'audit_entries', service: 'si', ...seen },

  { table: 'internal.captured_changes', service: 'siud' },
  { table: 'internal.catalog_versions', service: 'siu' },
  { table: 'internal.endpoint_clearings', service: 'siud' },
  { table: 'internal.idempotency_keys', service: 'siud' },
  { table: 'internal.limit_counters', service: 'siud' },
  { table: 'internal.location_counters', service: 'siu' },
  { table: 'internal.order_moves', service: 's' },
  { table: 'internal.process_heartbeats', service: 'siud' },
  { table: 'internal.sql_objects', service: 's' },
  { table: 'internal.sql_releases', service: 's' },
  { table: 'internal.tallies', service: 'siud' },
  { table: 'internal.tally_notes', service: 'siud' },
  { table: 'internal.time_zones', service: 's' },
  { table: 'internal.webhook_secrets', service: 'siud' },
  { table: 'internal.work_totals', service: 'siu' },
  { table: '_prisma_migrations', service: 's' },
];

/** A table in which a person makes, changes and deletes rows. */
function edited(table: string, service: Letters, columns: string): TableAccess {
  return { table, service, admin: 'sid', columns, reader: 's' };
}
