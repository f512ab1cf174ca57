import { comandaError, type EventType } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dayTexts } from '../day/texts.ts';
import { Choices } from '../frame/choices.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useFollowed } from '../frame/live.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Skeleton } from '../frame/skeleton.tsx';
import { Time } from '../frame/time.tsx';
import { useRowTitle } from '../frame/title.ts';
import { OrderDeeds } from './order-deeds.tsx';
import { OrderDeliveries } from './order-deliveries.tsx';
import { OrderEdit } from './order-edit.tsx';
import { OrderHistory } from './order-history.tsx';
import { type Overview, overviewOf } from './overview.ts';
import { Status } from './status.tsx';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';

/** Everything about the order that is wanted. */
export function OrderView({ wanted }: { wanted: string }) {
  const { comanda, session } = useComanda();
  const texts = useTexts(deskTexts);
  const say = useRefusal();
  const queryKey = ['order', wanted];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => overviewOf(comanda, wanted, signal),
    // No event reports attempts.
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ next_attempt_at }) => next_attempt_at !== undefined) ? 2_000 : false,
  });
  useFollowed(queryKey, {
    types: changed,
    everyMs: 500,
    // Until its id is known, each may be the one that is wanted.
    concerns: (event) =>
      data === undefined || (event.type === 'order.updated' && event.data.id === data.order.id),
  });
  if (data !== undefined)
    return (
      <>
        {error !== null && <p role="alert">{say(error)}</p>}
        <Found {...data} wanted={wanted} />
      </>
    );
  if (error === null) return <Skeleton lines={8} />;
  const isNone = comandaError(error)?.code === 'resource_not_found';
  return <p role="alert">{isNone ? texts.noOrder(wanted, session.location.name) : say(error)}</p>;
}

const joined = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' · ');

const changed: EventType[] = ['order.updated'];

function Found({ wanted, ...overview }: Overview & { wanted: string }) {
  const { order, customer, delivery, payment, payments, turn, timeline, deliveries } = overview;
  const texts = useTexts(deskTexts);
  const { methods } = useTexts(dayTexts);
  const format = useFormat();
  useRowTitle(texts.order(order.number));
  const facts: [string, ReactNode][] = [
    [texts.externalId, order.external_id],
    [texts.identifier, order.identifier],
    [texts.channel, order.channel],
    [texts.customer, customer && joined(Object.values(customer))],
    [texts.deliveredTo, delivery && joined(Object.values(delivery).flat())],
    [texts.note, order.note],
    [texts.promisedAt, order.promised_at && <Time key="promised" at={order.promised_at} />],
    [texts.guests, order.guests === undefined ? undefined : String(order.guests)],
    [texts.madeAt, <Time key="made" at={order.created_at} />],
    [
      texts.payment,
      payments.map(({ id, amount, method, status }) => (
        <div key={id}>
          {format.money(amount)} · {methods[method]} <Status of={status} />
        </div>
      )),
    ],
    [texts.refunded, payment.refunded === undefined ? undefined : format.money(payment.refunded)],
    [texts.turn, turn && `${turn.batch_number} · ${texts.statuses[turn.status]}`],
  ];
  return (
    <article className="order" aria-label={texts.order(order.number)}>
      <header>
        <h2>{texts.order(order.number)}</h2>
        <Status of={order.status} />
        <StudioLink table="orders" id={order.id} />
      </header>
      <dl>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <OrderDeeds {...overview} />
      {order.status === 'pending' && <OrderEdit id={order.id} wanted={wanted} />}
      <h3>{texts.items}</h3>
      <ul className="lines">
        {order.items.map(({ product_id, name, quantity, total, comment, subselections }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no state, and a product may come twice.
          <li key={`${product_id} ${index}`}>
            <b>{format.quantity(quantity)}</b> <span>{name}</span>{' '}
            <span className="amount">{format.money(total)}</span>
            <Choices of={subselections} />
            {comment && <em>{comment}</em>}
          </li>
        ))}
      </ul>
      {order.adjustments && (
        <ul className="lines">
          {order.adjustments.map(({ kind, name, percent, line, total }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they change with the order alone, and one may come twice.
            <li key={`${kind} ${index}`}>
              <b />
              <span>
                {name} {percent !== undefined && `${format.quantity(percent)} %`}{' '}
                {line !== undefined && texts.ofLine(line)}
              </span>{' '}
              <span className="amount">{format.money(total)}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="sum">
        {texts.total} <strong>{format.money(order.total)}</strong>
      </p>
      <h3>{texts.deliveries}</h3>
      <OrderDeliveries {...{ deliveries, timeline }} />
      <h3>{texts.history}</h3>
      <OrderHistory {...{ timeline, deliveries }} />
    </article>
  );
}
