/** The examples of historical records: timelines, replays, limits; in the story of the examples table. */
export function historyExamples(
  ids: Readonly<Record<'order' | 'event' | 'endpoint', string>>,
  at: (time: string) => string,
): Record<string, unknown> {
  const by = { type: 'api_key', id: '01935a31-7f20-7c4d-9a1b-2c3d4e5f6071', name: 'ERP' };
  const request_id = '01935a3e-7c11-7e32-9f40-a1b2c3d4e5f6';
  const event = { event_id: ids.event, event_type: 'order.created' };
  const windowOf = (limit: number, used: number, resets_at: string) => ({
    ...{ limit, used, remaining: limit - used, resets_at },
  });
  return {
    OrderTimeline: [
      { at: at('21:05:09.120'), kind: 'created', status: 'pending', by, request_id },
      { at: at('21:05:09.120'), kind: 'event', ...event, resource_id: ids.order, request_id },
      {
        at: at('21:05:09.412'),
        kind: 'delivery',
        ...event,
        delivery_id: '01935a3e-7da1-7d0f-8b6c-7a8b9c0d1e2f',
        endpoint_id: ids.endpoint,
        attempt: 1,
        status: 'delivered',
        response_code: 200,
        duration_ms: 84,
      },
      {
        at: at('21:11:40.508'),
        kind: 'moved',
        from: 'pending',
        to: 'ready',
        by: { type: 'database', name: 'ana by psql' },
      },
    ],
    WebhookReplay: { since: '2026-01-31T00:00:00Z', event_types: ['order.created'], only: 'failed' },
    Limits: {
      permissions: ['stock:*', 'sync:products'],
      effective_permissions: ['stock:read', 'stock:sync', 'sync:products'],
      per_minute: windowOf(600, 3, at('21:06:00.000')),
      monthly: windowOf(1_000_000, 5_210, '2026-01-31T21:00:00.000-03:00'),
      batch_jobs_per_hour: windowOf(30, 1, at('22:00:00.000')),
      max_items_per_batch: 500,
    },
  };
}
