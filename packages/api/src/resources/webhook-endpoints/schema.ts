import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import { aheadSentence, readFrom } from '../../moments.ts';
import { byId, Exactly, Id, page, paging, Timestamp, TimestampFilter } from '../../wire.ts';
import { subscribableEventTypes } from '../events/types.schema.ts';
import { longestUrl, webhookUrlPattern } from './address.schema.ts';

/** No more dead deliveries are counted. */
export const mostDead = 1_000;

/** Whether an endpoint receives events. */
export const WebhookEndpointStatus = z
  .enum(['active', 'disabled'])
  .meta({ description: 'Whether it receives events.' });

const EventTypes = list(z.enum(subscribableEventTypes), 100)
  .min(1, 'must name at least one event type')
  .refine((types) => new Set(types).size === types.length, { error: 'must not repeat an event type' })
  .meta({
    description: 'The event types it receives, each once.',
    example: ['order.created', 'order.status_changed'],
    uniqueItems: true,
  });

/** Where events are sent. `checkWebhookUrl` refuses what the pattern does not match, with a sentence for each case. */
const Url = z.string().meta({
  description:
    'Absolute `http` or `https` URL without credentials and without a fragment, at most 2,048 characters. Unless the service is ' +
    'set up otherwise: `https`, and a public address.',
  example: 'https://erp.example.com/hooks/comanda',
  maxLength: longestUrl,
  pattern: webhookUrlPattern,
});

const include = z.enum(['snapshot', 'customer']);

const IncludeInEvents = list(include, 2, 'must hold snapshot and customer once at most')
  .refine((names) => new Set(names).size === names.length, { error: 'must not repeat an entry' })
  .meta({
    description:
      'More than the documented fields in its events: `snapshot` has the lines of `order.*` as they were sold, with `external_id` and ' +
      '`sku`, and name, price and `external_id` of what was chosen; `customer` has `customer` and `delivery` of these as they are when it is ' +
      'sent, and needs the permission `customers:read`. An empty list: no more.',
    example: ['snapshot'],
    uniqueItems: true,
  });

const example = {
  id: exampleIds.endpoint,
  url: 'https://erp.example.com/hooks/comanda',
  events: ['order.created', 'order.status_changed'],
  status: 'active',
  created_at: exampleTime('20:58:41.007'),
  dead_count: 0,
};

/** A webhook endpoint, as the specification's, without its secret. */
export const WebhookEndpoint = z
  .object({
    id: Id,
    url: z.string().meta({ description: 'The address that events are sent to.' }),
    events: z
      .array(z.enum(subscribableEventTypes))
      .meta({ description: 'The event types that it receives.' }),
    status: WebhookEndpointStatus,
    include: z
      .array(include)
      .max(2)
      .exactOptional()
      .meta({ description: 'The additional fields of its events; absent for none.' }),
    created_at: Timestamp,
    last_delivered_at: Timestamp.exactOptional().meta({
      description: 'When it last took an event; up to ten seconds late.',
      example: '2026-01-31T21:05:09.310-03:00',
    }),
    failing_since: Timestamp.exactOptional().meta({
      description: 'Since when no attempt arrives; absent while it does well. Up to ten seconds late.',
      example: '2026-01-31T21:05:09.310-03:00',
    }),
    dead_count: z.int().meta({
      description: `Deliveries that were given up after their last attempt, as far as they are kept; ${mostDead} at most.`,
      example: 0,
    }),
  })
  .meta({ id: 'WebhookEndpoint', description: 'An address that receives events.', example });
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/** The input of an operation on one. */
export const WebhookEndpointById = byId(exampleIds.endpoint);

/** A webhook endpoint with its signing secret: answered when it is created and when the secret is rotated, never again. */
export const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  secret: z.string().meta({
    description:
      'Signs every delivery: the key are the bytes that the base64 after `whsec_` encodes. Shown here only.',
    example: 'whsec_SIGNING_SECRET',
  }),
}).meta({
  id: 'WebhookEndpointWithSecret',
  description: 'An endpoint with its signing secret.',
  example: { ...example, secret: 'whsec_SIGNING_SECRET' },
});
export type WebhookEndpointWithSecret = z.infer<typeof WebhookEndpointWithSecret>;

/** The input of a rotation. */
export const RotateSecret = WebhookEndpointById.extend({
  expire_previous: z.boolean().optional().meta({
    description:
      'Previous secrets sign nothing from now on, as when one leaked. Deliveries fail until the consumer has the new one.',
    example: false,
  }),
}).meta({ description: 'The body that makes a new secret.' });
export type RotateSecret = z.infer<typeof RotateSecret>;

/** On v1, whose events are the documented ones alone. */
export const WebhookEndpointCreateV1 = z
  .object({ url: Url, events: EventTypes })
  .meta({ id: 'WebhookEndpointCreateV1', description: 'The body that creates a webhook endpoint.' });

export const WebhookEndpointCreate = WebhookEndpointCreateV1.extend({
  include: IncludeInEvents.optional(),
}).meta({
  id: 'WebhookEndpointCreate',
  description: 'The body that creates a webhook endpoint.',
  example: { url: example.url, events: example.events },
});
export type WebhookEndpointCreate = z.infer<typeof WebhookEndpointCreate>;

const changesEndpoint = {
  description: 'The body that changes a webhook endpoint: only the fields that are present.',
  example: { events: ['order.created', 'order.cancelled'], status: 'active' },
};

export const WebhookEndpointUpdateV1 = z
  .object({
    ...WebhookEndpointById.shape,
    url: Url.optional(),
    events: EventTypes.optional(),
    status: WebhookEndpointStatus.optional(),
  })
  .meta({ id: 'WebhookEndpointUpdateV1', ...changesEndpoint });

export const WebhookEndpointUpdate = WebhookEndpointUpdateV1.extend({
  include: IncludeInEvents.optional(),
}).meta({ id: 'WebhookEndpointUpdate', ...changesEndpoint });
export type WebhookEndpointUpdate = z.infer<typeof WebhookEndpointUpdate>;

/** How an attempt ended: a failed one is tried again, the fifth failure is `dead`. */
export const AttemptStatus = z
  .enum(['delivered', 'failed', 'dead'])
  .meta({ description: 'How the attempt ended; the fifth failure is `dead`.' });

/** One attempt to deliver an event. */
export const WebhookDelivery = z
  .object({
    id: Id,
    event_id: z.string().meta({ description: 'The id of the event.' }),
    event_type: z.string().meta({ description: 'The type of the event.', example: 'order.created' }),
    attempt: z.int().meta({ description: '1 to 5.', example: 1 }),
    status: AttemptStatus,
    response_code: z.int().optional().meta({ description: "The consumer's HTTP status.", example: 200 }),
    error: z.string().optional().meta({ description: 'Why it failed, in words.' }),
    response_body: z.string().optional().meta({
      description:
        "The beginning of the consumer's answer, 1 KiB at most: arbitrary content, so show it as text and never run it.",
      example: 'ok',
    }),
    duration_ms: z.int().meta({ description: 'How long the attempt took, in milliseconds.', example: 84 }),
    attempted_at: Timestamp,
    next_attempt_at: Timestamp.optional(),
    replayed: z
      .literal(true)
      .exactOptional()
      .meta({ description: 'The event was sent again because that was asked for.' }),
    simulated: z
      .literal(true)
      .exactOptional()
      .meta({ description: 'A test event, which reports no real change.' }),
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'One attempt to deliver an event to an endpoint.',
    example: {
      id: '01935a3f-9c0d-7e1f-8a2b-3c4d5e6f7081',
      event_id: exampleIds.event,
      event_type: 'order.created',
      attempt: 1,
      status: 'failed',
      response_code: 503,
      error: 'HTTP 503',
      duration_ms: 84,
      attempted_at: exampleTime('21:05:09.412'),
      next_attempt_at: exampleTime('21:06:09.496'),
    },
  });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookEndpointList = z.object(paging);
export const WebhookEndpointPage = page(WebhookEndpoint);
export const WebhookDeliveryList = z.object({
  ...WebhookEndpointById.shape,
  ...paging,
  status: AttemptStatus.optional().meta({ description: 'Only entries with this status.' }),
  event_type: Exactly.optional().meta({
    description: 'Only attempts to deliver events of this type.',
    example: 'order.created',
  }),
});
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
export const WebhookDeliveryPage = page(WebhookDelivery);

/** The answer of a test: the event that will arrive. */
export const WebhookTest = z
  .object({
    event_id: z.string().meta({ description: 'The id of the event.' }),
    type: z.literal('webhook.test').meta({ description: 'The type of the event.' }),
  })
  .meta({
    id: 'WebhookTest',
    description: 'The test event that is on its way.',
    example: { event_id: exampleIds.event, type: 'webhook.test' },
  });
export type WebhookTest = z.infer<typeof WebhookTest>;

/** Which events are sent again. */
export const WebhookReplay = z
  .object({
    ...WebhookEndpointById.shape,
    since: readFrom(TimestampFilter).meta({
      description: `Events of this moment and later. ${aheadSentence}`,
    }),
    until: TimestampFilter.optional().meta({ description: 'And not after this one; now unless given.' }),
    event_types: EventTypes.optional().meta({
      description: 'Only these of the types that the endpoint is subscribed to, each once.',
      example: ['order.created'],
    }),
    only: z.enum(['failed', 'all']).default('failed').meta({
      description:
        'failed: what was tried or meant for it and did not arrive; all: also what did, or was never meant for it.',
    }),
  })
  .check(
    z.superRefine<{ since: string; until?: string | undefined }>(({ since, until }, context) => {
      if (until !== undefined && Date.parse(since) > Date.parse(until))
        context.addIssue({ code: 'custom', path: ['since'], message: 'must not be after until' });
    }),
  )
  .meta({
    id: 'WebhookReplay',
    description: 'Which events are sent again.',
    example: { since: '2026-01-31T00:00:00Z', event_types: ['order.created'], only: 'failed' },
  });
export type WebhookReplay = z.infer<typeof WebhookReplay>;

/** How many events are on their way again. */
export const WebhookReplayed = z
  .object({ replayed: z.int().meta({ description: 'New deliveries that were made.', example: 12 }) })
  .meta({ id: 'WebhookReplayed', description: 'The events are on their way again.' });
export type WebhookReplayed = z.infer<typeof WebhookReplayed>;
