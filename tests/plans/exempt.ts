/** Statements that may read more than they answer. */
export interface Exemption {
  /** Found in the name of the statement, or in its text. */
  pattern: RegExp;
  reason: string;
  /** counting: rows that it counts or sums up are left out; the other rows that it reads are judged. */
  allowed: 'counting' | 'anything';
  /** Whether it is needed depends on how many turns, deliveries, jobs and locks a run happens to meet. */
  sometimes?: true;
}

/** Each is needed: a test fails for one that spares nothing. */
export const exemptions: readonly Exemption[] = [
  { pattern: /^sales_report_/, reason: 'a report sums up the orders of its days', allowed: 'anything' },
  { pattern: /INSERT INTO settlements/, reason: 'a settlement sums up a turn', allowed: 'anything' },
  { pattern: /^list_payments/, reason: 'a list with its exact total', allowed: 'anything' },
  {
    pattern:
      /^list_(categories|certifications|keys|payment_methods|settlements|sync_jobs|webhook_endpoints)$/,
    reason: 'a list with its exact total',
    allowed: 'counting',
  },
  { pattern: /^read_(open_)?turn$/, reason: 'sums up the open turn', allowed: 'anything', sometimes: true },
  {
    pattern: /^list_settlement_entries$/,
    reason: 'a list with its exact total, and whether it makes what was settled',
    allowed: 'anything',
  },
  {
    pattern: /coalesce\(',"turn_id":"' \|\| o\.turn_id/,
    reason: 'the books of one order: its turn, its settlement, its payment and the entries of that',
    allowed: 'anything',
  },
  {
    pattern: /^relay_last_states$/,
    reason: 'looks for what was deleted among the changes of a round, which are read anyway',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^relay_turn_documents$/,
    reason: 'an event shows the totals of an open turn: it sums up the turn',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /payment_method_used|p\.payment_method_id = method|x WHERE .*payment_method_id/,
    reason:
      'a payment method is deleted now and then: an index that finds its payments and orders would cost each order',
    allowed: 'anything',
  },
  { pattern: /^list_stock/, reason: 'a list with its exact total', allowed: 'counting' },
  {
    pattern: /^count_\w+_changes/,
    reason: 'counts what there is to read, once a reading',
    allowed: 'anything',
  },
  {
    pattern: /^list_products_changes/,
    reason: 'skips products whose stock has changed later, and the reverse',
    allowed: 'anything',
  },
  {
    pattern: /^list_categories_changes/,
    reason:
      'looks at the categories of a location, which are tens: an index of their moments would serve nothing else',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^list_orders_changes_sta/,
    reason: 'goes along what has changed',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^relay_insert_claimed$/,
    reason:
      'skips attempts in flight to the endpoint, which its lane bounds, to see whether anything else waits',
    allowed: 'anything',
    sometimes: true,
  },
  { pattern: /pg_locks/, reason: 'looks at the locks of the moment', allowed: 'anything', sometimes: true },
  {
    pattern: /^list_orders_.*_cha$/,
    reason: 'by channel what has the channel is counted',
    allowed: 'anything',
  },
  {
    pattern: /^list_orders_.*_sta/,
    reason: 'in a table that was never analysed every status looks rare: by time or by status is one then',
    allowed: 'anything',
  },
  { pattern: /^list_products_search/, reason: 'a search looks at every product', allowed: 'anything' },
  { pattern: /^read_event_feed/, reason: 'says how many events are left to read', allowed: 'anything' },
  { pattern: /order_tally\(/, reason: 'adds up the hours of a day', allowed: 'anything' },
  {
    pattern: /^(find_replayable_events|drop_replayed_retries)$/,
    reason: 'a replay goes through the events of its time',
    allowed: 'anything',
  },
  {
    pattern: /^(list|count)_audit_entries_here_of_(people|all|row)$/,
    reason: 'the audit of a location, by author, table or row: an index for each would cost every entry',
    allowed: 'anything',
  },
  {
    pattern:
      /UPDATE \w+ t SET [\s\S]*r->'key'|key_columns\(entry\.relation|FROM deeds\(\) d|FROM audit_entries main\s+JOIN/,
    reason: 'an admin undoes a manual edit of any table: a deed of a person, once in a while',
    allowed: 'anything',
  },
  {
    pattern: /^read_latest_delivery$/,
    reason: 'the deliveries of one event: as many as there are endpoints',
    allowed: 'anything',
  },
  {
    pattern: /^abort_silent_certifications$/,
    reason: 'certifications that are under way: one a sandbox',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^list_webhook_attempts/,
    reason: 'the log of an endpoint, of one type or status: an index for each would cost every attempt',
    allowed: 'anything',
  },
  {
    pattern: /^(take_clearing|is_clearing_due|clearing_)/,
    reason:
      'endpoints that were deleted or disabled in the last ten minutes: a table of one page, read whole',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^clear_remove_deliveries$/,
    reason: 'goes along all of a location, a page at a time: an index for it would cost every delivery',
    allowed: 'anything',
  },
  {
    pattern: /\bas exported_at\b/,
    reason: 'an export says how many orders it holds; how many today has depends on the hour',
    allowed: 'counting',
    sometimes: true,
  },
  {
    pattern: /^close_turn$/,
    reason: 'between the two indexes that lead to the few turns of a location the planner draws lots',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^next_delivery_due$|SELECT d\.ctid AS place, [\w., ]+ FROM webhook_deliveries/,
    reason: 'skips deliveries that the same worker holds, and looks at all that wait for its endpoint',
    allowed: 'anything',
    sometimes: true,
  },
  {
    pattern: /^sweep_/,
    reason: 'goes through all that waits, every five seconds',
    allowed: 'anything',
    sometimes: true,
  },
  { pattern: /^retention_/, reason: 'looks for what is old, once an hour', allowed: 'anything' },
  { pattern: /^metrics_/, reason: 'metrics count everything', allowed: 'anything' },
  { pattern: /\/graphile_worker$/, reason: "the job queue's own", allowed: 'anything' },
  {
    pattern: /"graphile_worker"\._private_/,
    reason: "within the job queue's own functions, which the sweeper calls",
    allowed: 'anything',
    sometimes: true,
  },
];
