import { z } from 'zod';
import { exampleIds } from '../../examples.ts';
import { subscribableEventTypes } from '../../resources/events/types.schema.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../resources/webhook-endpoints/schema.ts';
import { Id } from '../../wire.ts';
import type { Job, Parts } from './jobs.ts';

/** The attempts that are looked at, and at most as many of them are shown. */
const mostAttempts = 50;
const mostFailures = 10;
/** Without an id, no more endpoints are diagnosed: each is one more call. */
const mostEndpoints = 10;
/** Half of the time that an endpoint has unless `WEBHOOK_TIMEOUT_MS` says otherwise. */
const slowMs = 5_000;

const Wanted = z.object({
  id: Id.optional().meta({
    description: `The endpoint; the newest ${mostEndpoints} unless given.`,
    example: exampleIds.endpoint,
  }),
});

/** What is wrong with endpoints, from their state and their last attempts. */
export const endpointDiagnosis: Job<z.infer<typeof Wanted>> = {
  name: 'endpoint_diagnosis',
  title: 'Find what is wrong with a webhook endpoint',
  description:
    `Its state, the failures among its last ${mostAttempts} attempts (${mostFailures} at most), and \`findings\`: each a code and what to do about it. ` +
    'Without findings it is well. Without `id` also the event types that no endpoint receives.',
  permission: 'webhooks:read',
  input: Wanted,
  async work(parts: Parts, { id }) {
    if (id !== undefined)
      return { endpoints: [await diagnose(parts, await parts.read('webhookEndpoints.get', { id }))] };
    const { data, pagination } = await parts.read('webhookEndpoints.list', { limit: 200 });
    const endpoints: object[] = [];
    for (const each of data.slice(0, mostEndpoints)) endpoints.push(await diagnose(parts, each));
    const received = new Set(
      data.flatMap(({ status, events }): string[] => (status === 'active' ? events : [])),
    );
    return {
      endpoints,
      ...(pagination.total > endpoints.length && { not_diagnosed: pagination.total - endpoints.length }),
      ...(pagination.total === data.length && {
        event_types_without_endpoint: subscribableEventTypes.filter((type) => !received.has(type)),
      }),
    };
  },
};

async function diagnose(parts: Parts, endpoint: WebhookEndpoint): Promise<object> {
  const { id } = endpoint;
  const { data } = await parts.read('webhookEndpoints.deliveries', { id, limit: mostAttempts });
  const failures = data.filter(({ status }) => status !== 'delivered');
  return {
    endpoint,
    findings: [...findingsOf(endpoint, data, failures)],
    last_failures: failures.slice(0, mostFailures),
  };
}

/** A fault, or what explains one, in a sentence without a text of callers. */
interface Finding {
  code: string;
  message: string;
  since?: string;
  count?: number;
}

function* findingsOf(
  { status, failing_since, dead_count }: WebhookEndpoint,
  attempts: WebhookDelivery[],
  failures: WebhookDelivery[],
): Generator<Finding> {
  if (status === 'disabled')
    yield {
      code: 'disabled',
      message:
        'Nothing is sent to it, and what waited was dropped. Enable it with webhook_endpoints_update, then send the events again with webhook_endpoints_replay.',
    };
  if (failing_since !== undefined)
    yield { code: 'failing', message: 'No attempt has arrived since then.', since: failing_since };
  if (dead_count > 0)
    yield {
      code: 'given_up',
      message:
        'Deliveries were given up after their last attempt. webhook_endpoints_replay sends them again.',
      count: dead_count,
    };
  for (const [code, { message, is }] of Object.entries(kinds)) {
    const count = failures.filter(({ response_code }) => is(response_code)).length;
    if (count > 0) yield { code, message, count };
  }
  const slow = attempts.filter(({ duration_ms }) => duration_ms >= slowMs).length;
  if (slow > 0)
    yield {
      code: 'slow',
      message: `Attempts took ${slowMs / 1_000} seconds or more. Answer first, and work on the event afterwards.`,
      count: slow,
    };
  if (attempts.length === 0)
    yield {
      code: 'no_attempts',
      message: 'No attempt was made yet. webhook_endpoints_test sends a test event.',
    };
}

/** The kinds of failed attempts, by the status that the endpoint answered. */
const kinds: Record<string, { message: string; is(status: number | undefined): boolean }> = {
  no_answer: {
    message:
      'Attempts had no answer: the address does not resolve, refuses connections, fails TLS, or is too slow.',
    is: (status) => status === undefined,
  },
  redirects: {
    message: 'It redirects, and redirects are not followed. Register the final address.',
    is: (status) => status !== undefined && status >= 300 && status < 400,
  },
  not_authorized: {
    message: 'It answers 401 or 403: its check of the signature fails, or a proxy asks for credentials.',
    is: (status) => status === 401 || status === 403,
  },
  not_found: {
    message: 'It answers 404 or 410: nothing is served at the address.',
    is: (status) => status === 404 || status === 410,
  },
  refused: {
    message: 'It answers with another status of 400 to 499.',
    is: (status) =>
      status !== undefined && status >= 400 && status < 500 && ![401, 403, 404, 410].includes(status),
  },
  server_error: {
    message: 'It answers with a status of 500 or more: the receiving program fails.',
    is: (status) => status !== undefined && status >= 500,
  },
};
