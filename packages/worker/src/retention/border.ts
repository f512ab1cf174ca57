/**
 * SQL for the time before which something is old: the beginning of today (UTC), the kept days and one more ago. It
 * moves once a day, so that a location has one round of removals a day and costs a look in the other hours.
 */
export function before(days: string): string {
  return `retention_border(${days}::int)`;
}
