import type {
  EndpointClearing,
  EndpointHealth,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookSecret,
} from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const webhookEndpoints = table<WebhookEndpoint>()('webhook_endpoints', {
  columns: {
    ...plain('location_id id created_at updated_at revision'),
    url: { edited: true, length: [0, 2_048] },
    events: { edited: true },
    status: { edited: true },
    api_version: { edited: true },
    include: { edited: true },
    delivers_after: { sequence: 'webhook_deliveries_number_seq' },
  },
  people: 'edit',
  editEvents: { unpublished: 'no event has endpoints' },
  versioned: 'edited',
  belongs: { sandbox: { kept: 'it hears of the reset' } },
  guards: [
    {
      serviceOnly: 'insert',
      sentence: 'an endpoint is made by POST /v2/webhook-endpoints, which gives it a signing secret',
    },
    {
      never: ['id', 'location_id', 'created_at'],
      sentence: 'the id, the location and the creation of a webhook endpoint never change: make another one',
    },
    {
      never: ['delivers_after'],
      sentence: 'pending deliveries are skipped automatically: disable the endpoint, and enable it',
    },
  ],
  keptInStudio: 'a webhook endpoint is not deleted here: set its status to disabled',
});

export const webhookSecrets = table<WebhookSecret>()('webhook_secrets', {
  schema: 'internal',
  columns: {
    ...plain('location_id id endpoint_id encryption_key_id expires_at created_at'),
    sealed: { secret: true },
  },
  people: 'none',
  belongs: { partOf: 'webhook_endpoints' },
  serviceOnly:
    "signing secrets are the service's: rotate one by POST /v2/webhook-endpoints/{id}/rotate-secret",
  guards: [
    {
      kept: 'an endpoint is never without a signing secret: rotate it first',
      when: 'last_valid_secret(OLD.location_id, OLD.endpoint_id, OLD.id)',
    },
  ],
});

export const endpointHealth = table<EndpointHealth>()('endpoint_health', {
  schema: 'internal',
  key: ['endpoint_id'],
  columns: plain('location_id endpoint_id last_delivered_at failing_since'),
  people: 'none',
  belongs: { partOf: 'webhook_endpoints' },
  serviceOnly: 'how an endpoint does is noted by the service alone',
});

export const webhookDeliveries = table<WebhookDelivery>()('webhook_deliveries', {
  columns: {
    ...plain(
      'location_id id endpoint_id event_id status attempts next_attempt_at leased_until',
      'leased_by replayed created_at',
    ),
    number: { sequence: 'webhook_deliveries_number_seq' },
  },
  people: 'read',
  belongs: { partOf: 'events' },
  serviceOnly:
    "deliveries are the service's: send events again by POST /v2/webhook-endpoints/{id}/replay, or disable the endpoint",
});

export const webhookAttempts = table<WebhookAttempt>()('webhook_attempts', {
  columns: {
    ...plain(
      'location_id id delivery_id endpoint_id event_id event_type attempt status response_code',
      'error duration_ms attempted_at',
    ),
    response_body: {
      personal: { what: 'the answer of a consumer', erasedTo: 'copies', until: 'KEEP_ATTEMPTS_DAYS' },
    },
  },
  people: 'read',
  belongs: { partOf: 'events' },
  serviceOnly: 'attempts are noted by the service alone',
});

export const endpointClearings = table<EndpointClearing>()('endpoint_clearings', {
  schema: 'internal',
  columns: {
    ...plain('location_id endpoint_id gone asked_at pass_began_at after_due after_id look_at'),
    id: { sequence: 'internal.endpoint_clearings_id_seq' },
  },
  people: 'none',
  belongs: { sandbox: { kept: 'deliveries stay, and are cleared as before' } },
  serviceOnly: 'deliveries are cleared away by themselves: disable the endpoint, or delete it',
});
