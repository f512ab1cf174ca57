import { useEffect, useRef } from 'react';
import { Choices } from '../frame/choices.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useIsOnline } from '../frame/live.tsx';
import { CancelButton } from './cancel.tsx';
import type { BoardOrder, Move } from './orders.ts';
import { boardTexts } from './texts.ts';

const next = { pending: 'ready', ready: 'closed', closed: undefined, canceled: undefined } as const;

interface Props {
  order: BoardOrder;
  /** Whether its move was asked for and is not answered. */
  isMoving: boolean;
  onMove(to: Move['to']): void;
}

/** An order: what to make, for whom, since when, and the button that moves it on. */
export function OrderCard({ order, isMoving, onMove }: Props) {
  const texts = useTexts(boardTexts);
  const format = useFormat();
  const isOnline = useIsOnline();
  const to = next[order.status];
  const card = useRef<HTMLElement>(null);
  const cameByMove = useRef(isMoving);
  useEffect(() => {
    // The button that was pressed is gone with the card's old place: whoever works by keyboard goes on here.
    if (cameByMove.current && document.activeElement === document.body)
      card.current?.focus({ preventScroll: true });
  }, []);
  return (
    <article
      ref={card}
      tabIndex={-1}
      className="card"
      aria-busy={isMoving}
      aria-label={texts.order(order.number)}
      data-number={order.number}
    >
      <header>
        <strong className="number">{order.number}</strong>
        <span>{order.identifier}</span>
        {order.channel && <span className="badge">{order.channel}</span>}
        {order.is_take_away && <span className="badge">{texts.takeAway}</span>}
        <time dateTime={order.created_at}>{format.time(order.created_at)}</time>
      </header>
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
      {isMoving && !isOnline && <p className="quiet">{texts.waits}</p>}
      {to !== undefined && (
        <footer>
          <CancelButton order={order} isDisabled={isMoving} onCancel={() => onMove('canceled')} />
          <button type="button" className="primary move" disabled={isMoving} onClick={() => onMove(to)}>
            {texts.move[to]}
          </button>
        </footer>
      )}
    </article>
  );
}
