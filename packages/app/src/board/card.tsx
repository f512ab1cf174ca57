import { useEffect, useRef } from 'react';
import { Choices } from '../frame/choices.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useIsOnline } from '../frame/live.tsx';
import { CardButtons } from './card-buttons.tsx';
import type { CardProps } from './card-props.ts';
import { boardTexts } from './texts.ts';

/** How late an order is, as a clock that fills. */
const clocks = ['', '◔', '◑', '●'] as const;

/** An order: its items, customer and age, and the button that moves it on. */
export function OrderCard(props: CardProps) {
  const { order, age, movedTo, canUndo, isMoving, isLast } = props;
  const texts = useTexts(boardTexts);
  const format = useFormat();
  const isOnline = useIsOnline();
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
      className={`card late-${age?.late ?? 0}${movedTo === undefined ? '' : ' moved'}`}
      aria-busy={isMoving}
      aria-label={texts.order(order.number)}
      data-number={order.number}
    >
      <header>
        <strong className="number">{order.number}</strong>
        <span>{[order.identifier, order.customer?.name].filter(Boolean).join(' · ')}</span>
        {order.channel && <span className="badge">{order.channel}</span>}
        {order.is_take_away && <span className="badge">{texts.takeAway}</span>}
        <time dateTime={order.created_at}>
          {age !== undefined && (
            <b className="age">
              {clocks[age.late]} {age.text}
              {age.late === 3 && ` ${texts.late}`}
            </b>
          )}{' '}
          {format.time(order.created_at)}
        </time>
        {order.promised_at && <span className="badge">{texts.promised(format.time(order.promised_at))}</span>}
      </header>
      {order.note && <p className="remark">{order.note}</p>}
      <ul className="lines">
        {order.items?.map(({ product_id, name, quantity, comment, subselections }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change, and a product may come twice.
          <li key={`${product_id} ${index}`}>
            <b>{format.quantity(quantity)}</b> {name}
            <Choices of={subselections} />
            {comment && <em>{comment}</em>}
          </li>
        ))}
      </ul>
      {(canUndo || isMoving) && !isOnline && <p className="quiet">{texts.waits}</p>}
      <CardButtons {...props} />
    </article>
  );
}
