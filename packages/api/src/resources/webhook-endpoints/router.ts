import { operation, router } from '../../call/operation.ts';
import { Deleted } from '../../wire.ts';
import {
  RotateSecret,
  WebhookDeliveryList,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointById,
  WebhookEndpointCreate,
  WebhookEndpointCreateV1,
  WebhookEndpointList,
  WebhookEndpointPage,
  WebhookEndpointUpdate,
  WebhookEndpointUpdateV1,
  WebhookEndpointWithSecret,
  WebhookReplay,
  WebhookReplayed,
  WebhookTest,
} from './schema.ts';
import * as endpoints from './service.ts';

const registering = {
  permission: 'webhooks:write',
  summary: 'Register a webhook endpoint',
  description:
    'Returns the signing secret, which is never shown again. The key needs the permission of each event type.',
  status: 201,
  tag: 'webhook_endpoints',
} as const;

const changing = {
  permission: 'webhooks:write',
  summary: 'Change a webhook endpoint',
  description:
    'Disabling drops what still waits for it; enabling does not revive that. The key needs the permission of each event type ' +
    'that joins, and of all of them where `url` changes.',
  errors: ['resource_not_found'],
  tag: 'webhook_endpoints',
} as const satisfies Partial<Parameters<typeof operation>[0]>;

/** Specification: Webhooks. One resource under two paths. */
export const webhookEndpointsRouter = router({
  list: operation({
    permission: 'webhooks:read',
    summary: 'List webhook endpoints',
    description: 'Newest first, without their secrets.',
    rest: ['GET /v1/webhooks', 'GET /v2/webhook-endpoints'],
  })
    .input(WebhookEndpointList)
    .output(WebhookEndpointPage)
    .query(({ ctx, input }) => endpoints.list(ctx, input)),

  get: operation({
    permission: 'webhooks:read',
    summary: 'Read a webhook endpoint',
    description: 'Without its secret, which is shown once: when it is made or rotated.',
    rest: ['GET /v1/webhooks/{id}', 'GET /v2/webhook-endpoints/{id}'],
    errors: ['resource_not_found'],
    tag: 'webhook_endpoints',
  })
    .input(WebhookEndpointById)
    .output(WebhookEndpoint)
    .query(({ ctx, input }) => endpoints.get(ctx, input.id)),

  create: operation({
    ...registering,
    rest: ['POST /v2/webhook-endpoints'],
  })
    .input(WebhookEndpointCreate)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => endpoints.create(ctx, input)),

  update: operation({
    ...changing,
    rest: ['PATCH /v2/webhook-endpoints/{id}'],
  })
    .input(WebhookEndpointUpdate)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => endpoints.update(ctx, input)),

  delete: operation({
    permission: 'webhooks:write',
    summary: 'Delete a webhook endpoint',
    description: 'Its pending deliveries are never sent, and its log of attempts is deleted with it.',
    rest: ['DELETE /v1/webhooks/{id}', 'DELETE /v2/webhook-endpoints/{id}'],
    errors: ['resource_not_found'],
    tag: 'webhook_endpoints',
  })
    .input(WebhookEndpointById)
    .output(Deleted)
    .mutation(({ ctx, input }) => endpoints.remove(ctx, input.id)),

  test: operation({
    permission: 'webhooks:write',
    summary: 'Send a test event',
    description: 'Goes to this endpoint alone, for any of its event types.',
    rest: ['POST /v1/webhooks/{id}/test', 'POST /v2/webhook-endpoints/{id}/test'],
    status: 202,
    errors: ['resource_not_found', 'conflict'],
  })
    .input(WebhookEndpointById)
    .output(WebhookTest)
    .mutation(({ ctx, input }) => endpoints.sendTest(ctx, input.id)),

  rotateSecret: operation({
    permission: 'webhooks:write',
    summary: 'Rotate the signing secret',
    description:
      'Returns the new secret. For 24 hours both sign every delivery, unless `expire_previous` says otherwise.',
    rest: ['POST /v2/webhook-endpoints/{id}/rotate-secret'],
    errors: ['resource_not_found'],
  })
    .input(RotateSecret)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => endpoints.rotateSecret(ctx, input)),

  replay: operation({
    permission: 'webhooks:write',
    summary: 'Send events again',
    description:
      'Makes new deliveries of events of the last 30 days; what waits for its first attempt is left alone, and a retry that waits gives way to the new delivery. At most 10,000 ' +
      'events a call: more are refused, so ask for them in shorter windows. Event types whose permission the key lacks are left ' +
      'out, and `X-Hidden-Event-Types` names them; one that is asked for is a `permission_denied`.',
    hidesEventTypes: true,
    rest: ['POST /v2/webhook-endpoints/{id}/replay'],
    status: 202,
    errors: ['resource_not_found', 'conflict'],
  })
    .input(WebhookReplay)
    .output(WebhookReplayed)
    .mutation(({ ctx, input }) => endpoints.replay(ctx, input)),

  deliveries: operation({
    permission: 'webhooks:read',
    summary: 'List delivery attempts',
    description: 'One entry per attempt, newest first.',
    rest: ['GET /v1/webhooks/{id}/deliveries', 'GET /v2/webhook-endpoints/{id}/deliveries'],
    errors: ['resource_not_found'],
  })
    .input(WebhookDeliveryList)
    .output(WebhookDeliveryPage)
    .query(({ ctx, input }) => endpoints.listDeliveries(ctx, input)),
});

/** The differences of the first family: its endpoints get the documented events alone. */
export const webhookEndpointsV1Router = router({
  create: operation({
    ...registering,
    rest: ['POST /v1/webhooks'],
  })
    .input(WebhookEndpointCreateV1)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => endpoints.create(ctx, input)),

  update: operation({
    ...changing,
    rest: ['PATCH /v1/webhooks/{id}'],
  })
    .input(WebhookEndpointUpdateV1)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => endpoints.update(ctx, input)),
});
