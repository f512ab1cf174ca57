import { useTexts } from '../frame/language.tsx';
import { CancelButton } from './cancel.tsx';
import type { CardProps } from './card-props.ts';
import { boardTexts } from './texts.ts';

const next = { pending: 'ready', ready: 'closed', closed: undefined, canceled: undefined } as const;

/**
 * The buttons of a card. The content after a press has the size of the content before it, and Undo is next to the
 * place that was pressed: a second press there meets nothing.
 */
export function CardButtons({
  order,
  movedTo,
  canUndo,
  isMoving,
  mayMove,
  isStop,
  onMove,
  onUndo,
}: CardProps) {
  const texts = useTexts(boardTexts);
  const { number, status } = order;
  const tabIndex = isStop ? 0 : -1;
  const to = next[status];
  if (movedTo !== undefined)
    return (
      <footer>
        <span className="move">✓ {texts.movedTo[movedTo]}</span>
        {canUndo && (
          <button
            type="button"
            className="beside"
            tabIndex={tabIndex}
            aria-label={texts.named(texts.undo, number)}
            onClick={onUndo}
          >
            {texts.undo}
          </button>
        )}
      </footer>
    );
  if (to === undefined || !mayMove) return null;
  return (
    <footer>
      <button
        type="button"
        className="primary move"
        tabIndex={tabIndex}
        disabled={isMoving}
        aria-describedby={isMoving ? `why-${order.id}` : undefined}
        aria-label={texts.named(texts.move[to], number)}
        onClick={() => onMove(to)}
      >
        {texts.move[to]}
      </button>
      <CancelButton order={order} isDisabled={isMoving} onCancel={() => onMove('canceled')} />
    </footer>
  );
}
