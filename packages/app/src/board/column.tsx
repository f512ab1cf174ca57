import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../frame/language.tsx';
import { goByArrows } from './arrows.ts';
import type { BoardOrder, Column } from './orders.ts';
import type { PressGuard } from './press-guard.ts';
import { boardTexts } from './texts.ts';

interface Props {
  column: Column;
  orders: readonly BoardOrder[];
  /** Orders of the column that are not shown. */
  beyond: number;
  guard: PressGuard;
  /** Whether a card has something to press. */
  hasButtons(order: BoardOrder): boolean;
  card(order: BoardOrder, isStop: boolean): ReactNode;
}

/** A column of the board: one stop for Tab, however many cards it has. */
export function BoardColumn({ column, orders, beyond, guard, hasButtons, card }: Props) {
  const texts = useTexts(boardTexts);
  const [chosen, choose] = useState<string>();
  const before = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const now = orders.map(({ id }) => id);
    if (before.current.some((id, index) => now[index] !== id)) guard.slid(column);
    before.current = now;
  }, [orders, guard, column]);
  const withButtons = orders.filter(hasButtons);
  const stop = withButtons.find(({ id }) => id === chosen) ?? withButtons[0];
  return (
    <section className={`column ${column}`} data-column={column} aria-labelledby={`column-${column}`}>
      <h2 id={`column-${column}`}>
        {texts[column]}{' '}
        <span className="count">
          {beyond > 0 ? texts.countOf(orders.length, orders.length + beyond) : orders.length}
        </span>
      </h2>
      {orders.length === 0 && <p className="quiet">{texts.none}</p>}
      <ul aria-describedby={column === 'closed' ? undefined : 'board-keys'} onKeyDown={goByArrows}>
        {orders.map((order) => (
          <li key={order.id} onFocus={() => choose(order.id)}>
            {card(order, order === stop)}
          </li>
        ))}
      </ul>
      {beyond > 0 && <p className="quiet">{texts.more(beyond)}</p>}
    </section>
  );
}
