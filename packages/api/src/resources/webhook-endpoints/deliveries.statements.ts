import { type Statement, statement } from '@comanda/db';
import { type FilterSql, givenFilters } from '../../call/filters.ts';
import { type PageText, pageStatement } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import type { WebhookDeliveryList } from './schema.ts';

export const findEndpoint = statement(
  'find_webhook_endpoint',
  'select from webhook_endpoints where location_id = $1::uuid and id = $2::uuid',
);

const filterSql: FilterSql<Pick<WebhookDeliveryList, 'status' | 'event_type'>> = {
  status: (value) => `r.status = ${value}::delivery_status`,
  event_type: (value) => `r.event_type = ${value}`,
};

const waits = `e.status = 'active' and d.number > e.delivers_after and d.status = 'failed' and d.attempts = r.attempt`;
const kept = keptByName<Statement<PageText>>();

/** The statement that lists what passes the filters, and its values from $4 on: the endpoint first. */
export function listAttempts(input: WebhookDeliveryList): {
  statement: Statement<PageText>;
  values: unknown[];
} {
  const given = givenFilters(filterSql, input);
  const name = ['list_webhook_attempts', ...given.names].join('_');
  const statement = kept(name, () => attempts(name, given.where(5)));
  return { statement, values: [input.id, ...given.values] };
}

const attempts = (name: string, narrowed: string) =>
  pageStatement({
    name,
    table: 'webhook_attempts',
    order: 'r.attempted_at desc, r.id desc',
    where: `and r.endpoint_id = $4::uuid${narrowed}`,
    joins: `cross join lateral (select * from webhook_deliveries where location_id = $1::uuid and id = r.delivery_id limit 1) d
      join webhook_endpoints e on e.location_id = $1::uuid and e.id = $4::uuid join locations l on l.id = $1::uuid`,
    entry: `'{"id":"' || r.id || '","event_id":"' || r.event_id || '","event_type":' || to_json(r.event_type)::text
      || ',"attempt":' || r.attempt || ',"status":"' || r.status || '"' || coalesce(',"response_code":' || r.response_code, '')
      || coalesce(',"error":' || to_json(r.error)::text, '') || coalesce(',"response_body":' || to_json(r.response_body)::text, '')
      || ',"duration_ms":' || r.duration_ms
      || ',"attempted_at":"' || wire_time(r.attempted_at, l.timezone) || '"'
      || coalesce(',"next_attempt_at":"' || wire_time(case when ${waits} then d.next_attempt_at end, l.timezone) || '"', '')
      || case when d.replayed then ',"replayed":true' else '' end
      || case when r.event_type = 'webhook.test' then ',"simulated":true' else '' end || '}'`,
  });
