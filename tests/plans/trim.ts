import type { Service } from './service.ts';

/**
 * Leaves some five rows of each table to which a round adds, so that tables stay small while statements are planned. Counts are
 * kept by the triggers; nothing is published.
 */
export async function trim({ sql }: Pick<Service, 'sql'>): Promise<void> {
  await sql('begin');
  for (const [table, kept, order] of keep)
    await sql(
      `delete from ${table} t where not exists (
         select from (select location_id, id from ${table} order by ${order} limit ${kept}) k
         where k.location_id = t.location_id and k.id = t.id)`,
    );
  await sql(`delete from internal.idempotency_keys where created_at < now()`);
  await sql('delete from internal.captured_changes where seed = transaction_seed()');
  await sql('commit');
}

const keep = [
  // Later fills read their bodies.
  ['events', 5, `type = 'order.created' desc, id desc`],
  ['orders', 2, 'id desc'],
  ['turns', 2, 'id desc'],
  ['sync_jobs', 2, 'id desc'],
  ['price_changes', 2, 'id desc'],
  ['menus', 2, 'id desc'],
  ['audit_entries', 5, 'id desc'],
] as const;
