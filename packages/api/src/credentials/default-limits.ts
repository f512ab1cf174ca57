/** The limits of a key when nothing else is set for it. Specification: Limits; contract, section 4. */
export const defaultLimits = {
  /** Requests in a minute of the clock. */
  perMinute: 600,
  /** Requests in a calendar month. */
  monthly: 1_000_000,
  /** Batch jobs started in an hour of the clock. */
  batchJobsPerHour: 30,
  /** Items in one batch. */
  maxItemsPerBatch: 500,
} as const;
