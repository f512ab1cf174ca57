import { comandaError, noAnswer } from '@comanda/client';
import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Skeleton } from '../frame/skeleton.tsx';
import { frameTexts } from '../frame/texts.ts';
import { useAge } from './age.ts';
import { OrderCard } from './card.tsx';
import { BoardColumn } from './column.tsx';
import { columns } from './laid-over.ts';
import { type Move, useBoard, useMove } from './orders.ts';
import { PauseButton } from './pause.tsx';
import { usePressGuard } from './press-guard.ts';
import { SoldOutButton } from './sold-out.tsx';
import { boardTexts } from './texts.ts';
import { useHeldMoves } from './use-held-moves.ts';

/** The board of the kitchen: orders to make, orders ready to hand over, and orders handed over, each a card. */
export function Board() {
  const texts = useTexts(boardTexts);
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  const [news, setNews] = useState('');
  const { board: known, error, refetch } = useBoard(({ number }) => setNews(texts.came(number)));
  const { board, held, moves } = useHeldMoves(known, useMove(useRefused()));
  const guard = usePressGuard();
  const ageOf = useAge();
  const [last, setLast] = useState<string>();

  if (board === undefined)
    return (
      <>
        <h1 className="unseen">{frame.board}</h1>
        {error === null ? (
          <Skeleton />
        ) : (
          <div role="alert">
            <p className="fault">{say(error)}</p>
            <button type="button" onClick={() => refetch()}>
              {frame.tryAgain}
            </button>
          </div>
        )}
      </>
    );
  const movedTo = (id: string) => (held.kept.get(id) ?? held.unsent.get(id) ?? held.sent.get(id))?.to;
  return (
    <>
      <h1 className="unseen">{frame.board}</h1>
      <p className="unseen" role="status">
        {news}
      </p>
      <p className="unseen" id="board-keys">
        {texts.keys}
      </p>
      {/* Its room is reserved before it is drawn: otherwise cards would move down once the permissions are read, and presses would miss them. */}
      <div className="board-tools">
        <SoldOutButton />
        <PauseButton />
      </div>
      <div className="board" onClickCapture={guard.onClickCapture}>
        {columns.map((column) => (
          <BoardColumn
            key={column}
            {...{ column, guard, orders: board.columns[column] }}
            beyond={column === 'closed' ? 0 : board.beyond[column]}
            hasButtons={({ id }) =>
              held.unsent.has(id) ||
              (column !== 'closed' && movedTo(id) === undefined && !board.moving.has(id))
            }
            card={(order, isStop) => (
              <OrderCard
                {...{ order, isStop, movedTo: movedTo(order.id) }}
                age={column === 'closed' ? undefined : ageOf(order)}
                canUndo={held.unsent.has(order.id)}
                isMoving={board.moving.has(order.id)}
                isLast={order.id === last}
                onMove={(to) => {
                  // A cancel was confirmed in its dialog.
                  moves.press({ order, to }, to === 'canceled');
                  setLast(order.id);
                  setNews(texts.named(texts.movedTo[to], order.number));
                }}
                onUndo={() => {
                  moves.undo(order.id);
                  setLast(order.id);
                  setNews(texts.named(texts.undo, order.number));
                }}
              />
            )}
          />
        ))}
      </div>
    </>
  );
}

/** Reports why a move was not made, unless the order already has that status: then another person was quicker. */
function useRefused(): (move: Move, error: unknown) => void {
  const { comanda } = useComanda();
  const texts = useTexts(boardTexts);
  const say = useRefusal();
  const notify = useNotify();
  return ({ order: { id, number }, to }, error) => {
    // There was no answer: the person who asked for it has left the session.
    if (comandaError(error) === undefined && noAnswer(error) === undefined)
      return notify(texts.unanswered(number), texts.leftBefore);
    const announced = () =>
      notify(noAnswer(error) === undefined ? texts.refused(number) : texts.unanswered(number), say(error));
    if (comandaError(error)?.reason !== 'illegal_move') return announced();
    comanda.orders.get.query({ id }).then(({ status }) => {
      if (status !== to) notify(texts.isNow[status](number), say(error));
    }, announced);
  };
}
