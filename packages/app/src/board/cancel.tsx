import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useTexts } from '../frame/language.tsx';
import type { BoardOrder } from './orders.ts';
import { boardTexts } from './texts.ts';

interface Props {
  order: BoardOrder;
  isDisabled: boolean;
  onCancel(): void;
}

/** Cancels an order, after asking. An arrow leads here from the button next to it. */
export function CancelButton({ order: { number, payment }, isDisabled, onCancel }: Props) {
  const texts = useTexts(boardTexts);
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger
        className="beside"
        tabIndex={-1}
        disabled={isDisabled}
        aria-label={`${texts.cancel} ${number}`}
      >
        ✕
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{texts.sureToCancel(number)}</AlertDialog.Title>
          <AlertDialog.Description>
            {texts.cancelMeans[payment.status === 'completed' ? 'paid' : 'unpaid']}
          </AlertDialog.Description>
          <footer>
            <AlertDialog.Close>{texts.keep}</AlertDialog.Close>
            <AlertDialog.Close className="primary" onClick={onCancel}>
              {texts.cancel}
            </AlertDialog.Close>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
