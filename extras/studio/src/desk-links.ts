/**
 * Columns whose rows lead to their order at the desk, and the column with the order's id. None has an arrow of its
 * own.
 */
export const deskLinks: Readonly<Record<string, string>> = {
  'orders.number': 'id',
  'orders_today.number': 'id',
  'order_events.order_number': 'order_id',
  'failing_deliveries.event_type': 'order_id',
};

/**
 * Where the desk is: as it was said, else the service of `npm start`; null when neither, since the address of a database
 * says nothing of the service's.
 * @throws {Error} what was said is no address.
 */
export function deskAddress(said: string | undefined, announced: string | null): string | null {
  const base = said ?? announced;
  if (base === null) return null;
  const { protocol, origin } = URL.parse(base) ?? {};
  if (origin === undefined || !['http:', 'https:'].includes(protocol ?? ''))
    throw new Error('--desk: must be the address of the service, as https://pos.example');
  return `${origin}/app/desk`;
}
