import { comandaError, noAnswer } from '@comanda/client';
import { useState } from 'react';
import { useAlerts } from '../frame/alerts.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Skeleton } from '../frame/skeleton.tsx';
import { frameTexts } from '../frame/texts.ts';
import { useAge } from './age.ts';
import { OrderCard } from './card.tsx';
import { chime } from './chime.ts';
import { BoardColumn } from './column.tsx';
import { columns } from './laid-over.ts';
import { type BoardOrder, type Move, type Status, useBoard, useMove } from './orders.ts';
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
  const alerts = useAlerts();
  const [fresh, setFresh] = useState(none);
  const [refusals, setRefusals] = useState<ReadonlyMap<string, { status: Status; why: unknown }>>(new Map());
  const { may } = useGranted();
  const {
    board: known,
    error,
    refetch,
  } = useBoard(({ id, number }) => {
    setNews(texts.came(number));
    if (!alerts) return;
    chime();
    setFresh((before) => new Set(before).add(id));
  });
  const tell = useRefused();
  const { board, held, moves } = useHeldMoves(
    known,
    useMove((move, why) => {
      setRefusals((before) => new Map(before).set(move.order.id, { status: move.order.status, why }));
      tell(move, why);
    }),
  );
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
  // Another person may have moved it since.
  const whyRefused = ({ id, status }: BoardOrder) => {
    const last = refusals.get(id);
    return last?.status === status ? say(last.why) : undefined;
  };
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
                isFresh={alerts && column === 'pending' && fresh.has(order.id)}
                mayMove={may?.('orders:write') !== false}
                refused={whyRefused(order)}
                onMove={(to) => {
                  setFresh((before) => without(before, order.id));
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

const none: ReadonlySet<string> = new Set();

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const left = new Set(ids);
  left.delete(id);
  return left;
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
