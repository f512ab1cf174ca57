import type { OrderOverview } from '@comanda/api/src/resources/orders/overview.schema.ts';
import type { OrderTimelineEntry } from '@comanda/api/src/resources/orders/timeline.schema.ts';
import { type Lines, rows } from './rows.ts';

/** Everything about an order, for a person. */
export function orderText({ order, payment, turn, timeline, deliveries, possible }: OrderOverview): Lines {
  const about: [string, string | undefined][] = [
    ['order', `${order.number}  ${order.id}`],
    ['external_id', order.external_id],
    ['status', [order.status, order.cancel_reason].filter(Boolean).join(': ')],
    ['created', order.created_at],
    ['total', money(order.total)],
    ['payment', `${payment.status}  ${money(payment.amount)}  ${payment.method}  ${payment.id}`],
    ['turn', turn && `${turn.batch_number}  ${turn.status}  ${turn.id}`],
    ['may move to', possible.moves.join(', ') || 'nothing: it is final'],
  ];
  const shown = about.filter(([, text]) => text !== undefined);
  const lines = shown.map(([name, text = '']) => `${name.padEnd(11)}  ${text}`);
  return [
    ...lines,
    '',
    ...rows(order.items, {
      QUANTITY: ({ quantity }) => String(quantity),
      NAME: ({ name }) => name,
      EACH: ({ unit_price }) => money(unit_price),
      TOTAL: ({ total }) => money(total),
      COMMENT: ({ comment }) => comment ?? '',
    }),
    '',
    ...rows(timeline, { TIME: ({ at }) => at, WHAT: what, WHO: who }),
    '',
    ...rows(deliveries, {
      DELIVERY: ({ id }) => id,
      EVENT: ({ event_type }) => event_type,
      STATUS: ({ status }) => status,
      ATTEMPTS: ({ attempts }) => String(attempts),
      ANSWER: ({ error, response_code }) => error ?? String(response_code ?? '-'),
      ENDPOINT: ({ endpoint_url }) => endpoint_url,
    }),
  ];
}

const money = (amount: number): string => amount.toFixed(2);

function what(entry: OrderTimelineEntry): string {
  switch (entry.kind) {
    case 'created':
      return `created ${entry.status}`;
    case 'moved':
      return [`${entry.from} → ${entry.to}`, entry.reason].filter(Boolean).join(': ');
    case 'edited':
      return `edited: ${editOf(entry.changes)}`;
    case 'booked':
      return [`${entry.entry} of ${money(entry.amount)} booked`, entry.reason].filter(Boolean).join(': ');
    case 'event':
      return `event ${entry.event_type}`;
    case 'delivery':
      return `attempt ${entry.attempt} of ${entry.event_type}: ${entry.status} ${entry.error ?? entry.response_code ?? ''}`;
  }
}

function editOf({
  fields = [],
  added = [],
  changed = [],
  removed = [],
  total,
}: Extract<OrderTimelineEntry, { kind: 'edited' }>['changes']): string {
  return [
    ...added.map(({ name, quantity }) => `+ ${quantity} ${name}`),
    ...changed.map(
      ({ name, quantity, quantity_before = quantity }) => `${quantity_before} → ${quantity} ${name}`,
    ),
    ...removed.map(({ name, quantity }) => `- ${quantity} ${name}`),
    ...fields,
    ...(total === undefined ? [] : [`total ${money(total.before)} → ${money(total.after)}`]),
  ].join(', ');
}

function who(entry: OrderTimelineEntry): string {
  if (!('by' in entry)) return '';
  const { by } = entry;
  return by.type === 'api_key' ? `key "${by.name ?? '(deleted)'}"` : (by.name ?? 'database');
}
