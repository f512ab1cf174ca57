/** A table whose rows belong to locations, and how they come and go with one. */
export interface Belonging {
  /** With its schema, where that is not `public`. */
  table: string;
  /** By which columns an export reads it, along an index that begins with the location. */
  order: string;
  /** Its rows go when those of this table go, by foreign keys; all else is deleted by itself. */
  goesWith?: string;
  /** It names keys, not the location. */
  ofKeys?: true;
  /** A column that counts up over all locations, and its sequence: an import moves that on. */
  counted?: { column: string; sequence: string };
  /** Triggers write it while other rows come: what they wrote of an import is replaced by what was exported. */
  derived?: true;
}

/**
 * Every table of what a location has, parents before their children: an import fills them in this order, a deletion
 * empties them in the other. A test compares it with the database.
 */
export const belongings: readonly Belonging[] = [
  { table: 'api_keys', order: 'id' },
  { table: 'internal.limit_counters', order: 'api_key_id, "window", window_start', ofKeys: true },
  { table: 'internal.app_codes', order: 'code_hash' },
  { table: 'payment_methods', order: 'id' },
  { table: 'turns', order: 'id' },
  { table: 'settlements', order: 'id', goesWith: 'turns' },
  { table: 'categories', order: 'id' },
  { table: 'menus', order: 'id' },
  { table: 'menu_categories', order: 'menu_id, category_id', goesWith: 'menus' },
  { table: 'products', order: 'id' },
  { table: 'product_categories', order: 'product_id, category_id', goesWith: 'products' },
  { table: 'product_stock', order: 'product_id', goesWith: 'products' },
  { table: 'subselections', order: 'id', goesWith: 'products' },
  { table: 'subselection_items', order: 'id', goesWith: 'products' },
  { table: 'orders', order: 'id' },
  { table: 'order_items', order: 'order_id, position', goesWith: 'orders' },
  { table: 'payments', order: 'id', goesWith: 'orders' },
  {
    ...{ table: 'internal.order_moves', order: 'order_id, id', goesWith: 'orders' },
    counted: { column: 'id', sequence: 'internal.order_moves_id_seq' },
  },
  { table: 'sync_jobs', order: 'id' },
  {
    ...{ table: 'webhook_endpoints', order: 'id' },
    counted: { column: 'delivers_after', sequence: 'webhook_deliveries_number_seq' },
  },
  { table: 'internal.webhook_secrets', order: 'id', goesWith: 'webhook_endpoints' },
  { table: 'internal.endpoint_health', order: 'endpoint_id', goesWith: 'webhook_endpoints' },
  { table: 'events', order: 'number' },
  {
    ...{ table: 'webhook_deliveries', order: 'id', goesWith: 'events' },
    counted: { column: 'number', sequence: 'webhook_deliveries_number_seq' },
  },
  { table: 'webhook_attempts', order: 'id', goesWith: 'events' },
  {
    ...{ table: 'internal.endpoint_clearings', order: 'id' },
    counted: { column: 'id', sequence: 'internal.endpoint_clearings_id_seq' },
  },
  { table: 'certifications', order: 'id' },
  {
    ...{
      table: 'internal.certification_calls',
      order: 'certification_id, number',
      goesWith: 'certifications',
    },
    counted: { column: 'number', sequence: 'internal.certification_calls_number_seq' },
  },
  { table: 'internal.idempotency_keys', order: 'api_key_id, operation, key' },
  { table: 'audit_entries', order: 'created_at desc, id desc' },
  { table: 'internal.location_counters', order: 'name', derived: true },
  { table: 'internal.catalog_versions', order: 'location_id', derived: true },
  { table: 'internal.tallies', order: 'hours, starts_at, name', derived: true },
  {
    ...{ table: 'internal.tally_notes', order: 'id', derived: true },
    counted: { column: 'id', sequence: 'internal.tally_notes_id_seq' },
  },
  {
    ...{ table: 'internal.captured_changes', order: 'id, line', derived: true },
    counted: { column: 'id', sequence: 'internal.captured_changes_id_seq' },
  },
];

/** What a location is called beside its belongings: its own row, first of an export. */
export const ownRow: Belonging = { table: 'locations', order: 'id' };

/** The file of a table: `internal.tallies` stands in `tallies.jsonl`. */
export const fileOf = ({ table }: Belonging): string => `${table.replace('internal.', '')}.jsonl`;
