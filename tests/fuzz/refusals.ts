import type { Reason } from '../../packages/api/src/reasons.ts';

/** Reasons for which a request that is valid by the document may be refused, and why no schema can say it. */
export const refusals: Partial<Record<Reason, string>> = {
  not_found: 'what is there',
  external_id_taken: 'what is there',
  sku_taken: 'what is there',
  still_referenced: 'what is there',
  unknown_product: 'what is there',
  unknown_category: 'what is there',
  unknown_reference: 'what is there',
  payment_method_unusable: 'what is there',
  source_key_unusable: 'what is there',
  invalid_selection: 'the subselections of the product',
  out_of_stock: 'what is left',
  stock_changed: 'what is left',
  stock_range: 'what is left',
  location_paused: 'its status',
  illegal_move: 'its status',
  not_collected: 'its status',
  refund_too_large: 'what is left',
  payment_open: 'its status',
  payment_completed: 'its status',
  order_canceled: 'its status',
  order_not_pending: 'its status',
  precondition_required: 'a header that some bodies need',
  endpoint_disabled: 'its status',
  too_many_endpoints: 'what is there',
  certification_running: 'its status',
  certification_ended: 'its status',
  turn_open: 'its status',
  no_turn: 'its status',
  unknown_cursor: 'cursors are those of answers',
  cursor_not_restored: 'cursors are those of answers',
  clock_ahead: 'the time',
  batch_too_large: 'the limits of the key',
  address_refused: 'how the service is set up, and which names a URL may have',
};

/** Rules that JSON Schema has no words for: relations between values, each in the description of a field, and blanks in texts. */
export const relations: readonly RegExp[] = [
  /^from: must not be after to$/,
  /: must have a visible character, not only blanks$/,
  /: must not begin or end with a blank$/,
  /^since: must not be after until$/,
  /^until: must be in the future$/,
  /^completed_from: must not be after completed_to$/,
  /min: must not be more than max$/,
  /min_selection: must not be more than max_selection$/,
  /: is the same as \S+$/,
  /: names the same product as \S+$/,
  /: differs from \S+$/,
  /\.delete: must be true, as that of its category$/,
  /^items(\.\w+)?(\[\d+\])?: the (total|price of one) is more than 9999999999\.99$/,
  // Together with another fault, whose reason is the answer's.
  /: (insufficient stock|unknown |must be \d+ to \d+ in all, |".*" (allows|needs|takes) )/,
  /external_product_id: contradicts the product's external_id/,
  /^event_types\[\d+\]: the endpoint is not subscribed to \S+$/,
  /^include: deleted needs updated_since, or the cursor of a page before$/,
  /^adjustments\[\d+\]\.line: (only a discount may be of a line|there is no line \d+)$/,
  /^adjustments(\[\d+\])?: the discounts are more than .*, \d+\.\d\d$/,
  /^items\.(change\[\d+\]\.line_id|remove\[\d+\]): must not be named twice$/,
  /^items\.(change\[\d+\]\.line_id|remove\[\d+\]): the order has no line \d+$/,
  /^items: must leave 1 to 200 lines, not \d+$/,
  /^include: snapshot and tax are of the lines: name items, too$/,
];

/** Whether a refusal is one of these. */
export function isListed(reason: string, message: string): boolean {
  if (reason !== 'invalid_field') return Object.hasOwn(refusals, reason);
  return message
    .split(/; (?=[\w.[\]]+: )/)
    .every(
      (fault) =>
        /^and (\d+ )?more$/.test(fault) ||
        relations.some((relation) => relation.test(fault.replace(/; and (\d+ )?more$/, ''))),
    );
}
