import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { CloseTurn, Difference } from './close-turn.tsx';
import { dayTexts } from './texts.ts';
import { type ClosedTurn, type OpenTurn, useOpenTurn } from './turn.ts';

/** The turn: what it collected by method, and the buttons that open and close it. */
export function TurnPanel() {
  const texts = useTexts(dayTexts);
  const say = useRefusal();
  const mayWrite = useGranted().may?.('turns:write') === true;
  const { data: turn, error } = useOpenTurn();
  const [closed, setClosed] = useState<ClosedTurn>();
  return (
    <section className="turn" aria-labelledby="turn">
      <h2 id="turn">{turn ? texts.turn(turn.batch_number) : texts.turnOfTheDay}</h2>
      {closed !== undefined && <Closed turn={closed} />}
      {turn === undefined && error !== null && (
        <p role="alert" className="fault">
          {say(error)}
        </p>
      )}
      {turn === null && <p>{texts.noTurn}</p>}
      {turn && <Collected turn={turn} />}
      {mayWrite && turn && <CloseTurn turn={turn} onClosed={setClosed} />}
      {mayWrite && turn === null && <OpenTurnButton />}
    </section>
  );
}

function OpenTurnButton() {
  const { comanda } = useComanda();
  const texts = useTexts(dayTexts);
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  const { act, isPending } = useAct({
    mutationFn: () => comanda.turns.open.mutate(),
    onError: (error) => notify(texts.open, say(error)),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <button type="button" className="primary" disabled={isPending} onClick={() => act()}>
      {texts.open}
    </button>
  );
}

function Collected({ turn }: { turn: OpenTurn }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const { started_at, total_orders, total_collected, methods = [] } = turn;
  const since = `${format.day(format.dayOf(started_at))}, ${format.time(started_at)}`;
  return (
    <>
      <p>{texts.since(since, format.quantity(total_orders))}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.method}</th>
            <th scope="col">{texts.payments}</th>
            <th scope="col">{texts.collected}</th>
            <th scope="col">{texts.refunded}</th>
          </tr>
        </thead>
        <tbody>
          {methods.map(({ method, count, collected, refunded }) => (
            <tr key={method}>
              <th scope="row">{texts.methods[method]}</th>
              <td>{format.quantity(count)}</td>
              <td>{format.money(collected)}</td>
              <td>{refunded === 0 ? '' : format.money(refunded)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{texts.all}</th>
            <td />
            <td>{format.money(total_collected)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </>
  );
}

function Closed({ turn: { batch_number, total_collected, drawer } }: { turn: ClosedTurn }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  return (
    <p role="status">
      {texts.wasClosed(batch_number, format.money(total_collected))}{' '}
      {drawer !== undefined && (
        <>
          {texts.inDrawer(format.money(drawer.expected), format.money(drawer.counted))}{' '}
          <Difference amount={drawer.difference} />
        </>
      )}
    </p>
  );
}
