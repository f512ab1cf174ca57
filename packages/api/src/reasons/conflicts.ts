import { type ReasonRow, row } from './row.ts';

/** Reasons of requests that do not fit what is there. */
export const conflictReasons = {
  still_referenced: row(
    'conflict',
    'Another row of the location still refers to the one to delete.',
    'Change or delete the rows that the message names, and delete the resource after them.',
  ),
  external_id_taken: row(
    'conflict',
    'Another resource of the location has this `external_id`.',
    'Read the other one, which `Location` names when it is known; most often it is what you sent before.',
  ),
  sku_taken: row(
    'conflict',
    'Another product of the location has this `sku`.',
    'Read the other one, which `Location` names, and change one of the two.',
  ),
  idempotency_key_reused: row(
    'conflict',
    'The idempotency key was used before with a different body.',
    'Take a new key for a new request; send the same body to repeat an old one.',
  ),
  shown_once: row(
    'conflict',
    'The call was done before, and its answer held a secret that is shown once.',
    'Revoke what it made, which the message names, and make another with a new idempotency key.',
  ),
  illegal_move: row(
    'conflict',
    'The order, payment or turn cannot move from its status to the requested one.',
    'Read it and go on from its status; when it is there already, there is nothing to do.',
  ),
  guarded: row(
    'conflict',
    'A rule of the database keeps this as it is; the message says which.',
    'Make a new one instead of changing this.',
  ),
  price_change_ended: row(
    'conflict',
    'The price change was applied or skipped, so it cannot be canceled.',
    'Read its outcome, and plan another one or change the prices.',
  ),
  turn_open: row('conflict', 'A turn is open already.', 'Close it first, or go on with it.'),
  not_collected: row(
    'conflict',
    'The payment is not completed, so there is no money to give back.',
    'Reject a pending payment, or complete it first.',
  ),
  refund_too_large: row(
    'conflict',
    'The refund is more than what is left of the payment.',
    'Record at most what the message names.',
  ),
  payment_open: row(
    'conflict',
    'The payment of the order is pending.',
    'Complete that one, or reject it and add another one then.',
  ),
  payment_completed: row(
    'conflict',
    'The payment of the order is completed.',
    'There is nothing to collect: record a refund to give money back.',
  ),
  order_not_pending: row(
    'conflict',
    'The order is no longer pending, so it is not edited any more.',
    'Cancel it and place another one, or leave it.',
  ),
  location_paused: row(
    'conflict',
    'The location takes no orders at the moment.',
    'Wait for `Retry-After` seconds, or without it for `location.updated`, and send the same request again; the idempotency key is unused.',
  ),
  order_canceled: row('conflict', 'The order is canceled.', 'Place another order.'),
  entries_unknown: row(
    'conflict',
    'The settlement is older than entries, and its payments do not add up to its totals.',
    'Use its totals; `books=before_books` lists payments without a known settlement.',
  ),
  no_turn: row('conflict', 'No turn is open.', 'Open one first.'),
  stock_changed: row(
    'conflict',
    'The stock is not what the request expected.',
    'Read the stock, which the message names, and send a request that fits it; the idempotency key is unused.',
  ),
  stock_range: row(
    'conflict',
    'The stock would go below zero or above the largest quantity.',
    'Take at most what the message says is left.',
  ),
  endpoint_disabled: row(
    'conflict',
    'The webhook endpoint is disabled.',
    'Set its status to `active` first.',
  ),
  certification_running: row(
    'conflict',
    'One of this sandbox is under way.',
    'Follow it, wait, or abort it.',
  ),
  certification_ended: row('conflict', 'The run has ended, so it cannot be aborted.', 'Read its report.'),
} as const satisfies Record<string, ReasonRow>;
