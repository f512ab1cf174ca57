/** The headers of the browser that are sent on; never its cookies, nor a key. */
const toService = ['accept', 'if-match', 'last-event-id', 'prefer', 'traceparent'];

/** The headers of the service that are sent on: those that the client reads, and those that a person looks for. */
export const toBrowser = [
  'content-type',
  'deprecation',
  'etag',
  'idempotency-replayed',
  'link',
  'retry-after',
  'sunset',
  'x-accel-buffering',
  'x-entity-tags',
  'x-error-reason',
  'x-error-since',
  'x-ignored-fields',
  'x-ratelimit-batch-limit',
  'x-ratelimit-batch-remaining',
  'x-ratelimit-batch-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
] as const;

/** The headers of a request to the service. */
export function headersToService(
  header: (name: string) => string | undefined,
  own: Record<string, string>,
): Record<string, string> {
  const passed = toService.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...own };
}

/** The headers of an answer to the browser. No cache keeps it, and nothing on the way holds it back to compress it. */
export function headersToBrowser(answer: Headers): Headers {
  const headers = new Headers({ 'cache-control': 'no-store, no-transform' });
  for (const name of toBrowser) {
    const value = answer.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
