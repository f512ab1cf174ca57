import { type MouseEvent, useState } from 'react';

/** A second press at one place of a card within this time is the end of the first. */
const samePlaceMs = 500;

/** A press so soon after cards slid was aimed at their former place: no person sees and aims as quickly. */
const slidMs = 300;

/** A press so soon after a dialog closed was meant for the dialog. */
const dialogMs = 500;

const whole = 'board';

/** Lets presses on the board pass, but those that were not aimed at what they meet. Keys are aimed by focus, and pass. */
export class PressGuard {
  readonly #until = new Map<string, number>();

  /** Cards of a column are elsewhere from now on. */
  slid(column: string): void {
    this.#hold(column, slidMs);
  }

  /** Goes before every click within the board and its dialogs; ends those that were not aimed. */
  readonly onClickCapture = (event: MouseEvent<HTMLElement>): void => {
    const { target, currentTarget } = event;
    const button = target instanceof Element ? target.closest('button') : null;
    if (button === null) return;
    // A dialog is a child of the board to React, and not in the document.
    if (!currentTarget.contains(button)) {
      this.#hold(whole, dialogMs);
      return;
    }
    if (event.detail === 0) return;
    const card = button.closest<HTMLElement>('[data-number]')?.dataset.number;
    const place = `${card} ${button.classList.contains('beside') ? 'beside' : 'move'}`;
    const column = button.closest('section')?.dataset.column ?? '';
    if ([whole, place, column].some((name) => performance.now() < (this.#until.get(name) ?? 0))) {
      event.preventDefault();
      event.stopPropagation();
    } else this.#hold(place, samePlaceMs);
  };

  #hold(name: string, ms: number): void {
    this.#until.set(name, performance.now() + ms);
  }
}

/** The guard of a board, for as long as it is shown. */
export function usePressGuard(): PressGuard {
  const [guard] = useState(() => new PressGuard());
  return guard;
}
