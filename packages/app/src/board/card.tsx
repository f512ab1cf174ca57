import { useEffect, useMemo, useRef } from 'react';
import { Badge } from '../frame/badge.tsx';
import { Choices } from '../frame/choices.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useIsOnline } from '../frame/live.tsx';
import { CardButtons } from './card-buttons.tsx';
import type { CardProps } from './card-props.ts';
import { boardTexts } from './texts.ts';

/** How urgent an order is, as a clock that fills. */
const clocks = ['', '◔', '◑', '●'] as const;

/** An order: its items, customer and age, and the button that moves it on. */
export function OrderCard(props: CardProps) {
  const { order, age, movedTo, canUndo, isMoving, isLast, isFresh, mayMove, refused } = props;
  const texts = useTexts(boardTexts);
  const format = useFormat();
  const isOnline = useIsOnline();
  const today = format.today();
  const isOpen = order.status === 'pending' || order.status === 'ready';
  const why =
    (canUndo || isMoving) && !isOnline
      ? texts.waits
      : isMoving
        ? texts.moving
        : isOpen && !mayMove
          ? texts.mayNotMove
          : refused && movedTo === undefined
            ? texts.stays(refused)
            : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the day is shown once it is no longer today.
  const madeAt = useMemo(() => format.short(order.created_at), [format, order.created_at, today]);
  const card = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a press replaces the buttons.
  useEffect(() => {
    // The button that was pressed is gone: a keyboard user goes on from the card.
    if (isLast && document.activeElement === document.body) card.current?.focus({ preventScroll: true });
  }, [isLast, movedTo]);
  return (
    <article
      ref={card}
      tabIndex={-1}
      className={`card urgency-${age?.urgency ?? 0}${movedTo === undefined ? '' : ' moved'}${isFresh ? ' fresh' : ''}`}
      aria-busy={isMoving}
      aria-label={texts.order(order.number)}
      data-number={order.number}
    >
      <header>
        <strong className="number">{order.number}</strong>
        <time dateTime={order.created_at}>
          {age !== undefined && (
            <b className="age">
              {clocks[age.urgency]} {age.text}
            </b>
          )}{' '}
          {madeAt}
        </time>
        <span className="whose">{[order.identifier, order.customer?.name].filter(Boolean).join(' · ')}</span>
        {order.channel && <Badge>{order.channel}</Badge>}
        {order.is_take_away && <Badge tone="info">{texts.takeAway}</Badge>}
        {order.promised_at && (
          <Badge tone={age === undefined ? 'quiet' : age.isLate ? 'bad' : 'wait'} className="promise">
            {texts.promised(format.time(order.promised_at))}
            {age?.isLate && ` · ${texts.late}`}
          </Badge>
        )}
      </header>
      {order.note && <p className="remark">{order.note}</p>}
      <ul className="lines">
        {order.items?.map(({ product_id, name, quantity, comment, subselections }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change, and a product may come twice.
          <li key={`${product_id} ${index}`}>
            <b>{format.quantity(quantity)}</b>{' '}
            <span>
              {name}
              <Choices of={subselections} />
              {comment && <em>{comment}</em>}
            </span>
          </li>
        ))}
      </ul>
      {why !== undefined && (
        <p className="quiet why" id={`why-${order.id}`}>
          {why}
        </p>
      )}
      <CardButtons {...props} />
    </article>
  );
}
