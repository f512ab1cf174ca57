import type { Reason } from './reasons.ts';

/** The fields of `ErrorData` that belong to some reasons alone. */
export type Detail = 'resourceId' | 'retryAfterSeconds' | 'etag' | 'since';

/**
 * The fields that every refusal for a reason has; the typed client promises them. Under all other reasons they are
 * optional.
 */
export const carried = {
  external_id_taken: 'resourceId',
  sku_taken: 'resourceId',
  changed_since: 'etag',
  cursor_not_restored: 'since',
  minute_limit: 'retryAfterSeconds',
  month_limit: 'retryAfterSeconds',
  batch_limit: 'retryAfterSeconds',
  too_many_codes: 'retryAfterSeconds',
  too_many_streams: 'retryAfterSeconds',
  temporarily_unavailable: 'retryAfterSeconds',
  location_busy: 'retryAfterSeconds',
  location_read_only: 'retryAfterSeconds',
  moved: 'retryAfterSeconds',
} as const satisfies Partial<Record<Reason, Detail>>;
