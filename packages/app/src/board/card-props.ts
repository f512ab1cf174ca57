import type { Age } from './age.ts';
import type { BoardOrder, Move } from './orders.ts';

/** The data that a card shows, and the actions of its buttons. */
export interface CardProps {
  order: BoardOrder;
  age: Age | undefined;
  /** Where it was moved, while its card keeps its place or the move is not sent. */
  movedTo: Move['to'] | undefined;
  /** Whether that can be taken back. */
  canUndo: boolean;
  /** Whether its move was asked for and is not answered. */
  isMoving: boolean;
  /** Whether it came while the board was open, and nobody has pressed it yet. */
  isFresh: boolean;
  /** Whether the key may move orders. */
  mayMove: boolean;
  /** Why its last move was refused. */
  refused: string | undefined;
  /** Whether Tab stops at its buttons; arrows lead to those of the others. */
  isStop: boolean;
  /** Whether it was pressed last. */
  isLast: boolean;
  onMove(to: Move['to']): void;
  onUndo(): void;
}
