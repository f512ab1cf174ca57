import type { RestRoute } from './call/meta.ts';
import type { Permission } from './permissions.ts';
import type { ErrorCode } from './reasons.ts';

/** A documented operation: what the specification and the contract promise of one method and path. */
export interface SpecifiedOperation {
  route: RestRoute;
  /** The permission that a key must hold; null when any valid key will do. */
  permission: Permission | null;
  status: 200 | 201 | 202;
  /** A list with `pagination`. */
  list: boolean;
  /** Needs an `Idempotency-Key`. */
  idempotent: boolean;
  /** Counts against the batch limits. */
  batch: boolean;
  /** Reads changes: with `updated_since` it carries a `Link`. */
  changes: boolean;
  /** Codes beyond `unauthorized`, `permission_denied`, `invalid_request`, `validation_error`, `rate_limited`, `internal_error`. */
  errors: Extract<ErrorCode, 'resource_not_found' | 'conflict'>[];
}

/**
 * The operations that callers were promised before they were built, written down apart from the router: a test holds it
 * to them. A later operation is in the router alone, and in docs/api.md, which is made of it.
 */
export const specification: readonly SpecifiedOperation[] = rows().map(
  ([route, permission, answer, ...traits]) => ({
    route,
    permission,
    status: answer === 'created' ? 201 : answer === 'accepted' ? 202 : 200,
    list: answer === 'list',
    idempotent: traits.includes('idempotent'),
    batch: traits.includes('batch'),
    changes: traits.includes('changes'),
    errors: (['resource_not_found', 'conflict'] as const).filter((code) => traits.includes(code)),
  }),
);

type Answer = 'data' | 'list' | 'created' | 'accepted';
type Trait = 'idempotent' | 'batch' | 'changes' | 'resource_not_found' | 'conflict';

function rows(): [RestRoute, Permission | null, Answer, ...Trait[]][] {
  return [
    ['GET /v1/orders', 'orders:read', 'list'],
    ['GET /v1/orders/{id}', 'orders:read', 'data', 'resource_not_found'],
    ['POST /v1/orders', 'orders:write', 'created', 'idempotent', 'conflict'],
    ['PATCH /v1/orders/{id}/status', 'orders:write', 'data', 'resource_not_found', 'conflict'],
    ['GET /v1/products', 'products:read', 'list'],
    ['GET /v1/products/{id}', 'products:read', 'data', 'resource_not_found'],
    ['POST /v1/products', 'products:write', 'created', 'conflict'],
    ['PATCH /v1/products/{id}', 'products:write', 'data', 'resource_not_found', 'conflict'],
    ['DELETE /v1/products/{id}', 'products:write', 'data', 'resource_not_found'],
    ['GET /v1/products/{id}/stock', 'stock:read', 'data', 'resource_not_found'],
    ['POST /v1/categories', 'categories:write', 'created', 'conflict'],
    ['GET /v1/categories/{id}', 'categories:read', 'data', 'resource_not_found'],
    ['GET /v1/payments', 'payments:read', 'list'],
    ['GET /v1/webhooks', 'webhooks:read', 'list'],
    ['POST /v1/webhooks', 'webhooks:write', 'created'],
    ['GET /v1/webhooks/{id}', 'webhooks:read', 'data', 'resource_not_found'],
    ['PATCH /v1/webhooks/{id}', 'webhooks:write', 'data', 'resource_not_found'],
    ['DELETE /v1/webhooks/{id}', 'webhooks:write', 'data', 'resource_not_found'],
    ['POST /v1/webhooks/{id}/test', 'webhooks:write', 'accepted', 'resource_not_found', 'conflict'],
    ['GET /v1/webhooks/{id}/deliveries', 'webhooks:read', 'list', 'resource_not_found'],
    ['GET /v2/orders', 'orders:read', 'list', 'changes'],
    ['GET /v2/orders/export', 'orders:export', 'data', 'batch'],
    ['GET /v2/orders/{id}', 'orders:read', 'data', 'resource_not_found'],
    ['GET /v2/orders/by-external-id/{external_id}', 'orders:read', 'data', 'resource_not_found'],
    ['GET /v2/orders/{id}/timeline', 'orders:read', 'data', 'resource_not_found'],
    ['POST /v2/orders', 'orders:write', 'created', 'idempotent', 'conflict'],
    ['POST /v2/orders/quote', 'orders:write', 'data'],
    ['PATCH /v2/orders/{id}/status', 'orders:write', 'data', 'resource_not_found', 'conflict'],
    ['POST /v2/orders/{id}/cancel', 'orders:write', 'data', 'resource_not_found', 'conflict'],
    ['GET /v2/products', 'products:read', 'list', 'changes'],
    ['GET /v2/products/{id}', 'products:read', 'data', 'resource_not_found'],
    ['GET /v2/products/by-external-id/{external_id}', 'products:read', 'data', 'resource_not_found'],
    ['POST /v2/products', 'products:write', 'created', 'conflict'],
    ['PATCH /v2/products/{id}', 'products:write', 'data', 'resource_not_found', 'conflict'],
    ['DELETE /v2/products/{id}', 'products:write', 'data', 'resource_not_found'],
    ['GET /v2/categories', 'categories:read', 'list', 'changes'],
    ['GET /v2/categories/{id}', 'categories:read', 'data', 'resource_not_found'],
    ['GET /v2/categories/by-external-id/{external_id}', 'categories:read', 'data', 'resource_not_found'],
    ['POST /v2/categories', 'categories:write', 'created', 'conflict'],
    ['PATCH /v2/categories/{id}', 'categories:write', 'data', 'resource_not_found', 'conflict'],
    ['DELETE /v2/categories/{id}', 'categories:write', 'data', 'resource_not_found'],
    ['GET /v2/stock', 'stock:read', 'list', 'changes'],
    ['POST /v2/stock/sync', 'stock:sync', 'data', 'batch'],
    [
      'POST /v2/products/{id}/stock/adjust',
      'stock:sync',
      'data',
      'idempotent',
      'resource_not_found',
      'conflict',
    ],
    ['GET /v2/catalog', 'catalog:read', 'data'],
    ['POST /v2/catalog/sync', 'catalog:sync', 'data', 'batch', 'conflict'],
    ['GET /v2/menus/active', 'menus:read', 'data', 'resource_not_found'],
    ['GET /v2/payments', 'payments:read', 'list', 'changes'],
    ['GET /v2/payments/{id}', 'payments:read', 'data', 'resource_not_found'],
    ['GET /v2/payment-methods', 'payments:read', 'list'],
    ['GET /v2/settlements', 'settlements:read', 'list'],
    ['GET /v2/settlements/{id}', 'settlements:read', 'data', 'resource_not_found'],
    ['GET /v2/settlements/{id}/entries', 'settlements:read', 'list', 'resource_not_found', 'conflict'],
    ['GET /v2/turns', 'turns:read', 'list'],
    ['GET /v2/turns/current', 'turns:read', 'data', 'resource_not_found'],
    ['GET /v2/turns/{id}', 'turns:read', 'data', 'resource_not_found'],
    ['GET /v2/sales-reports', 'reports:read', 'data'],
    ['POST /v2/sync/products', 'sync:products', 'accepted', 'idempotent', 'batch', 'conflict'],
    ['GET /v2/sync/jobs', 'sync:read', 'list'],
    ['GET /v2/sync/jobs/{id}', 'sync:read', 'data', 'resource_not_found'],
    ['GET /v2/webhook-endpoints', 'webhooks:read', 'list'],
    ['POST /v2/webhook-endpoints', 'webhooks:write', 'created'],
    ['GET /v2/webhook-endpoints/{id}', 'webhooks:read', 'data', 'resource_not_found'],
    ['PATCH /v2/webhook-endpoints/{id}', 'webhooks:write', 'data', 'resource_not_found'],
    ['DELETE /v2/webhook-endpoints/{id}', 'webhooks:write', 'data', 'resource_not_found'],
    ['POST /v2/webhook-endpoints/{id}/test', 'webhooks:write', 'accepted', 'resource_not_found', 'conflict'],
    ['POST /v2/webhook-endpoints/{id}/rotate-secret', 'webhooks:write', 'data', 'resource_not_found'],
    [
      'POST /v2/webhook-endpoints/{id}/replay',
      'webhooks:write',
      'accepted',
      'resource_not_found',
      'conflict',
    ],
    ['GET /v2/webhook-endpoints/{id}/deliveries', 'webhooks:read', 'list', 'resource_not_found'],
    ['GET /v2/events', 'events:read', 'list'],
    ['GET /v2/locations/current', 'locations:read', 'data'],
    ['GET /v2/limits', null, 'data'],
  ];
}
