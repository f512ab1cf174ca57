import { noAnswer } from '@comanda/client';
import { useState } from 'react';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { OrderCard } from './card.tsx';
import { type Column, useBoard, useMove } from './orders.ts';
import { boardTexts } from './texts.ts';

const columns: readonly Column[] = ['pending', 'ready', 'closed'];

/** The board of the kitchen: what is to be made, what waits to be handed over, and what was, each order a card. */
export function Board() {
  const texts = useTexts(boardTexts);
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  const notify = useNotify();
  const [news, setNews] = useState('');
  const { board, error, refetch } = useBoard(({ number }) => setNews(texts.came(number)));
  const move = useMove(({ order: { number } }, error) =>
    notify(noAnswer(error) === undefined ? texts.refused(number) : texts.unanswered(number), say(error)),
  );

  if (board === undefined && error !== null)
    return (
      <div role="alert">
        <p className="fault">{say(error)}</p>
        <button type="button" onClick={() => refetch()}>
          {frame.tryAgain}
        </button>
      </div>
    );
  if (board === undefined) return <p>{frame.loading}</p>;
  return (
    <>
      <h1 className="unseen">{frame.board}</h1>
      <p className="unseen" role="status">
        {news}
      </p>
      <div className="board">
        {columns.map((column) => (
          <section key={column} className={`column ${column}`} aria-labelledby={`column-${column}`}>
            <h2 id={`column-${column}`}>
              {texts[column]} <span className="count">{board.columns[column].length}</span>
            </h2>
            {board.columns[column].length === 0 && <p className="quiet">{texts.none}</p>}
            <ul>
              {board.columns[column].map((order) => (
                <li key={order.id}>
                  <OrderCard
                    order={order}
                    isMoving={board.moving.has(order.id)}
                    onMove={(to) => move({ order, to })}
                  />
                </li>
              ))}
            </ul>
            {column !== 'closed' && board.beyond[column] > 0 && (
              <p className="quiet">{texts.more(board.beyond[column])}</p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}
