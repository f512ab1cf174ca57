/** Statements that may read more than they answer. */
export interface Exemption {
  /** Found in the name of the statement, or in its text. */
  pattern: RegExp;
  reason: string;
  /** counting: rows that it counts or sums up are left out; what it reads beside them is judged. */
  allowed: 'counting' | 'anything';
}

/** Each is needed: a test fails for one that spares nothing. */
export const exemptions: readonly Exemption[] = [
  { pattern: /^sales_report_/, reason: 'a report sums up the orders of its days', allowed: 'anything' },
  { pattern: /"_count\$_all"/, reason: 'the exact total of a list', allowed: 'counting' },
  { pattern: /^list_payments/, reason: 'a list with its exact total', allowed: 'counting' },
  { pattern: /^list_stock/, reason: 'a list with its exact total', allowed: 'counting' },
  { pattern: /^list_orders_.*_cha$/, reason: 'a list with its exact total', allowed: 'counting' },
  { pattern: /^list_products_search/, reason: 'a search looks at every product', allowed: 'anything' },
  { pattern: /^read_event_feed/, reason: 'says how many events are left to read', allowed: 'counting' },
  { pattern: /INSERT INTO settlements/, reason: 'a settlement sums up a turn', allowed: 'counting' },
  {
    pattern: /order_tally\(|FROM tally\(/,
    reason: 'a tally adds up what was noted since',
    allowed: 'counting',
  },
  { pattern: /^retention_/, reason: 'looks for what is old, once an hour', allowed: 'anything' },
  { pattern: /^watch_/, reason: 'metrics count everything', allowed: 'anything' },
  { pattern: /\/graphile_worker$/, reason: "the job queue's own", allowed: 'anything' },
];
