import { watchedTables } from './watched.ts';

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
  /** What an admin may name in an update too, though a guard refuses it, so that it says what to do instead. */
  guarded?: string;
  reader?: Letters;
  /** What an admin and a reader see, separated by spaces, where that is not every column. */
  seen?: string;
}

const seen = { admin: 's', reader: 's' };
const made = 'id location_id created_at';
const keyLimits = 'per_minute monthly batch_jobs_per_hour max_items_per_batch expires_at revoked_at';

const ownLines: readonly TableAccess[] = [
  {
    ...{ table: 'locations', service: 'siud', ...seen, admin: 'si' },
    ...{ columns: 'name timezone currency status', guarded: 'id code sandbox created_at' },
  },
  edited('product_stock', 'siud', 'enabled quantity min_stock_alarm', 'product_id location_id'),
  edited('product_categories', 'siud', 'product_id category_id', 'location_id'),
  edited('menus', 'siud', 'name version is_published published_at', made),
  edited('menu_categories', 'siud', 'menu_id category_id position', 'location_id'),

  edited('payment_methods', 'siud', 'name type enabled', made),
  edited('turns', 'siud', 'status', 'id location_id batch_number started_at ended_at'),
  { table: 'settlements', service: 's', ...seen },
  edited(
    'orders',
    'siud',
    'external_id status channel is_take_away identifier cancel_reason',
    `${made} created_by request_id number turn_id total payment_method_id`,
  ),
  edited(
    'order_items',
    'siud',
    '',
    'location_id order_id position product_id name unit_price quantity total comment selections stock_taken',
  ),
  edited('payments', 'siu', 'status', `${made} order_id payment_method_id amount`),

  {
    ...{ table: 'api_keys', service: 'siud', ...seen, admin: 'si' },
    columns: `name ${keyLimits}`,
    guarded: `${made} prefix key_hash permissions`,
    seen: `${made} name prefix permissions ${keyLimits} last_used_at`,
  },
  edited('webhook_endpoints', 'siud', 'url events status api_version', `${made} delivers_after`),
  { table: 'webhook_deliveries', service: 'siud', ...seen },
  { table: 'webhook_attempts', service: 'siud', ...seen },
  { table: 'events', service: 'siu', ...seen },
  { table: 'sync_jobs', service: 'siud', ...seen },
  { table: 'certifications', service: 'siud', ...seen },
  { table: 'audit_entries', service: 'si', ...seen },

  { table: 'internal.app_codes', service: 'siud' },
  { table: 'internal.captured_changes', service: 'siud' },
  { table: 'internal.catalog_versions', service: 'siu' },
  { table: 'internal.certification_calls', service: 'siud' },
  { table: 'internal.endpoint_clearings', service: 'siud' },
  { table: 'internal.endpoint_health', service: 'siud' },
  { table: 'internal.idempotency_keys', service: 'siud' },
  { table: 'internal.limit_counters', service: 'siud' },
  { table: 'internal.location_counters', service: 'siu' },
  { table: 'internal.location_moves', service: 'siud' },
  { table: 'internal.moved_locations', service: 'siud' },
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

/** The views of `prisma/sql/views.sql`, which people may read. */
export const viewsForPeople: readonly string[] = [
  'orders_today',
  'order_events',
  'failing_deliveries',
  'low_stock',
];

/**
 * Every table of ours. One that is told by its id (`prisma/sql/watched.sql`) and has no line of its own is edited by people in
 * the columns that are told. What a person may write is held to guards besides (`prisma/sql/guarded.sql`); what a statement
 * brings about by triggers and foreign keys is done as the owner, so nobody needs a privilege for that. Reads watched.sql.
 */
export function tableAccess(): TableAccess[] {
  const told = watchedTables().filter(({ table }) => !ownLines.some((line) => line.table === table));
  return [...ownLines, ...told.map(({ table, columns }) => edited(table, 'siud', columns, made))];
}

/** A table in which a person makes, changes and deletes rows, or is told by a guard how else. */
function edited(table: string, service: Letters, columns: string, guarded: string): TableAccess {
  return { table, service, admin: 'sid', columns, guarded, reader: 's' };
}
