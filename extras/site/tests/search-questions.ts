/** A question in the words of an integrator, and the pages of which one must be among the first three that the search finds. */
export interface Question {
  asked: string;
  answeredBy: readonly string[];
}

/** The first questions of integrators. */
export const questions: readonly Question[] = [
  { asked: 'how do I get an API key', answeredBy: ['guides/quick-start'] },
  { asked: 'webhook retries schedule', answeredBy: ['guides/webhooks'] },
  { asked: 'duplicate order', answeredBy: ['guides/orders'] },
  { asked: 'stock update bulk', answeredBy: ['reference/v2/stock-sync'] },
  { asked: 'time zone of dates', answeredBy: ['guides/paging', 'reference/v2/locations-get-current'] },
  { asked: 'refund payment', answeredBy: ['guides/closing-the-day'] },
  { asked: 'IP allowlist', answeredBy: ['guides/webhooks'] },
  { asked: 'verify webhook signature', answeredBy: ['guides/verify-a-webhook'] },
  { asked: 'rate limit', answeredBy: ['guides/limits'] },
  { asked: 'what does 429 mean', answeredBy: ['errors', 'guides/limits'] },
  { asked: 'pagination', answeredBy: ['guides/paging'] },
  { asked: 'idempotency key', answeredBy: ['guides/orders'] },
  { asked: 'cancel an order', answeredBy: ['reference/v2/orders-cancel'] },
  { asked: 'order status lifecycle', answeredBy: ['guides/orders', 'reference/v2/orders-update-status'] },
  { asked: 'import products from my ERP', answeredBy: ['guides/first-sync', 'guides/erp'] },
  { asked: 'test environment', answeredBy: ['guides/sandbox'] },
  { asked: 'python sdk', answeredBy: ['guides/python'] },
  { asked: 'webhook on localhost', answeredBy: ['guides/comanda-mjs'] },
  { asked: 'missed webhooks after downtime', answeredBy: ['guides/feed'] },
  { asked: 'rotate webhook secret', answeredBy: ['reference/v2/webhook-endpoints-rotate-secret'] },
  { asked: 'upgrade from v1 to v2', answeredBy: ['guides/v1-to-v2'] },
  { asked: 'go to production checklist', answeredBy: ['guides/going-live'] },
  { asked: 'permissions of a key', answeredBy: ['reference/permissions'] },
  { asked: 'upload CSV', answeredBy: ['guides/files'] },
  { asked: 'breaking changes policy', answeredBy: ['guides/deprecation'] },
  { asked: 'which event types are there', answeredBy: ['reference/events'] },
  { asked: 'price of an order before placing it', answeredBy: ['reference/v2/orders-quote'] },
  { asked: 'postman collection', answeredBy: ['reference/v2/index', 'index'] },
];
