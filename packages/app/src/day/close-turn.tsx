import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { dayTexts } from './texts.ts';
import {
  amountIn,
  type ClosedTurn,
  differenceOf,
  expectedCash,
  type OpenTurn,
  useStillOpen,
} from './turn.ts';

interface Props {
  turn: OpenTurn;
  onClosed(turn: ClosedTurn): void;
}

/** Closes the open turn: what is in the drawer is typed and compared before. */
export function CloseTurn({ turn, onClosed }: Props) {
  const { comanda } = useComanda();
  const texts = useTexts(dayTexts);
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  const [start, setStart] = useState('');
  const [drawer, setDrawer] = useState('');
  const [isNextOpened, setNextOpened] = useState(true);
  const startingCash = start.trim() === '' ? 0 : amountIn(start);
  const counted = amountIn(drawer);
  const isCounted = drawer.trim() !== '';
  const { act, isPending } = useAct({
    mutationFn: () =>
      comanda.turns.close.mutate({
        open_next: isNextOpened,
        ...(isCounted && { counted, starting_cash: startingCash }),
      }),
    onSuccess(closed) {
      setStart('');
      setDrawer('');
      onClosed(closed);
    },
    onError: (error) => notify(texts.close, say(error)),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger disabled={isPending}>{texts.close}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{texts.sureToClose(turn.batch_number)}</AlertDialog.Title>
          <AlertDialog.Description>{texts.closeMeans}</AlertDialog.Description>
          <StillOpen />
          <label>
            {texts.startingCash}
            <input inputMode="decimal" value={start} onChange={({ target }) => setStart(target.value)} />
          </label>
          <label>
            {texts.counted}
            <input inputMode="decimal" value={drawer} onChange={({ target }) => setDrawer(target.value)} />
          </label>
          <Comparison {...{ turn, startingCash, counted, isCounted }} />
          <label className="check">
            <input
              type="checkbox"
              checked={isNextOpened}
              onChange={({ target }) => setNextOpened(target.checked)}
            />
            {texts.openNext}
          </label>
          <footer>
            <AlertDialog.Close>{texts.keepOpen}</AlertDialog.Close>
            <AlertDialog.Close
              className="primary"
              disabled={startingCash === undefined || (isCounted && counted === undefined)}
              onClick={() => act()}
            >
              {texts.close}
            </AlertDialog.Close>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The orders and payments that the close leaves as they are; nothing for a key that may not see both. */
function StillOpen() {
  const texts = useTexts(dayTexts);
  const say = useRefusal();
  const format = useFormat();
  const { data, error, isEnabled } = useStillOpen();
  if (!isEnabled) return null;
  if (data === undefined) return <Unread {...{ error, say }} lines={1} />;
  const { orders, payments } = data;
  const isAny = orders + payments > 0;
  return (
    <p className={isAny ? 'warning' : undefined}>
      {isAny ? texts.stillOpen(format.quantity(orders), format.quantity(payments)) : texts.nothingOpen}
    </p>
  );
}

interface Amounts {
  turn: OpenTurn;
  startingCash: number | undefined;
  counted: number | undefined;
  isCounted: boolean;
}

/** Expected, counted and the difference, as they are typed. */
function Comparison({ turn, startingCash, counted, isCounted }: Amounts) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const isWrong = startingCash === undefined || (isCounted && counted === undefined);
  const expected = expectedCash(turn, startingCash ?? 0);
  return (
    <p role="status" className={isWrong ? 'fault' : undefined}>
      {isWrong ? texts.noAmount : texts.expected(format.money(expected))}
      {!isWrong && ' '}
      {!isWrong &&
        (counted === undefined ? texts.notCounted : <Difference amount={differenceOf(counted, expected)} />)}
    </p>
  );
}

/** The surplus or shortage, in words. */
export function Difference({ amount }: { amount: number }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  if (amount === 0) return <strong>{texts.exact}</strong>;
  return <strong>{(amount < 0 ? texts.missing : texts.over)(format.money(Math.abs(amount)))}</strong>;
}
