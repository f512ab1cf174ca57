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

/** A statement may read anything, each time, unless it is marked. */
type Row = [pattern: RegExp, reason: string, ...marks: ('counting' | 'sometimes')[]];

const rows: Row[] = [
  [/^sales_report_/, 'a report sums up the orders of its days'],
  [/INSERT INTO settlements/, 'a settlement sums up a turn'],
  [/^list_payments(?!_changes)/, 'a list with its exact total'],
  [
    /^list_(categories|certifications|keys|payment_methods|price_changes|settlements|sync_jobs|webhook_endpoints)$/,
    'a list with its exact total',
    'counting',
  ],
  [/^read_(open_)?turn$/, 'sums up the open turn', 'sometimes'],
  [/^list_settlement_entries$/, 'a list with its exact total, and whether it makes what was settled'],
  [
    /coalesce\(',"turn_id":"' \|\| o\.turn_id/,
    'the books of one order: its turn, its settlement, its payment and the entries of that',
  ],
  [
    /^relay_last_states$/,
    'looks for what was deleted among the changes of a round, which are read anyway',
    'sometimes',
  ],
  [/^relay_turn_documents$/, 'an event shows the totals of an open turn: it sums up the turn', 'sometimes'],
  [
    /payment_method_used|p\.payment_method_id = method|x WHERE .*payment_method_id/,
    'a payment method is deleted now and then: an index that finds its payments and orders would cost each order',
  ],
  [/^list_stock/, 'a list with its exact total', 'counting'],
  [/^list_subselections(?!_product)/, 'a list with its exact total, which looks at the options of each'],
  [/^count_\w+_changes/, 'counts what there is to read, once a reading'],
  [/^list_products_changes/, 'skips products whose stock has changed later, and the reverse'],
  [
    /^list_categories_changes/,
    'looks at the categories of a location, which are tens: an index of their moments would serve nothing else',
    'sometimes',
  ],
  [
    /^list_payments_changes_books$/,
    'skips payments that have changed since the walk began, which come at their own moment',
    'sometimes',
  ],
  [/^list_orders_changes_sta/, 'goes along what has changed', 'sometimes'],
  [
    /^relay_insert_claimed$/,
    'skips attempts in flight to the endpoint, which its lane bounds, to see whether anything else waits',
    'sometimes',
  ],
  [/pg_locks/, 'looks at the locks of the moment', 'sometimes'],
  [/^list_orders_.*_cha$/, 'by channel what has the channel is counted'],
  [
    /^list_orders_.*_sta/,
    'in a table that was never analysed every status looks rare: by time or by status is one then',
  ],
  [/^list_products_search/, 'a search looks at every product'],
  [/^read_event_feed/, 'says how many events are left to read'],
  [/order_tally\(/, 'adds up the hours of a day'],
  [/^(find_replayable_events|drop_replayed_retries)$/, 'a replay goes through the events of its time'],
  [
    /^(list|count)_audit_entries_here_of_(people|all|row)$/,
    'the audit of a location, by author, table or row: an index for each would cost every entry',
  ],
  [
    /UPDATE \w+ t SET [\s\S]*r->'key'|key_columns\(entry\.relation|FROM deeds\(\) d|FROM audit_entries main\s+JOIN/,
    'an admin undoes a manual edit of any table: a deed of a person, once in a while',
  ],
  [
    /SELECT jsonb_build_object\('key', key,\s+'before'/,
    'compares the columns of a row that a person edited: keys of one value, and no rows',
    'sometimes',
  ],
  [/^read_latest_delivery$/, 'the deliveries of one event: as many as there are endpoints'],
  [/^change_certified_price$/, 'looks at the products of a sandbox, which are tens, once a run', 'sometimes'],
  [
    /^(are_certifications_silent|abort_silent_certifications)$/,
    'certifications that are under way: one a sandbox',
    'sometimes',
  ],
  [
    /^list_webhook_attempts/,
    'the log of an endpoint, of one type or status: an index for each would cost every attempt',
  ],
  [
    /^(take_clearing|is_clearing_due|clearing_)/,
    'endpoints that were deleted or disabled in the last ten minutes: a table of one page, read whole',
    'sometimes',
  ],
  [
    /^clear_remove_deliveries$/,
    'goes along all of a location, a page at a time: an index for it would cost every delivery',
  ],
  [
    /\bas exported_at\b/,
    'an export says how many orders it holds; how many today has depends on the hour',
    'counting',
    'sometimes',
  ],
  [
    /^close_turn$/,
    'between the two indexes that lead to the few turns of a location the planner draws lots',
    'sometimes',
  ],
  [
    /^next_delivery_due$|SELECT d\.ctid AS place, [\w., ]+ FROM webhook_deliveries/,
    'skips deliveries that the same worker holds, and looks at all that wait for its endpoint',
    'sometimes',
  ],
  [/^sweep_/, 'goes through all that waits, every five seconds', 'sometimes'],
  [/^forget_spent_sync_jobs$/, 'goes through the job queue, which holds what is at work', 'sometimes'],
  [/^next_due_jobs$/, 'reads the names of the tasks, which are six, for the first few jobs', 'sometimes'],
  [/^retention_/, 'looks for what is old, once an hour'],
  [/^metrics_/, 'metrics count everything'],
  [/\/graphile_worker$/, "the job queue's own"],
  [
    /"graphile_worker"\._private_/,
    "within the job queue's own functions, which the sweeper calls",
    'sometimes',
  ],
];

/** Each is needed: a test fails for one that spares nothing. The first that fits a statement counts. */
export const exemptions: readonly Exemption[] = rows.map(([pattern, reason, ...marks]) => ({
  pattern,
  reason,
  allowed: marks.includes('counting') ? 'counting' : 'anything',
  ...(marks.includes('sometimes') && { sometimes: true }),
}));
