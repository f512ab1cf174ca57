import type { KeyboardEvent } from 'react';

const steps: Readonly<Record<string, [cards: number, buttons: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  Home: [Number.NEGATIVE_INFINITY, 0],
  End: [Number.POSITIVE_INFINITY, 0],
};

/**
 * Goes from button to button of a list of cards by arrows, so that the list is one stop for Tab: up and down to the same
 * button of the next card that has one, left and right within a card, Home and End to the first and the last card.
 */
export function goByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  const { target, currentTarget } = event;
  if (step === undefined || !(target instanceof HTMLElement) || !currentTarget.contains(target)) return;
  event.preventDefault();
  const cards = [...currentTarget.querySelectorAll('article')];
  const at = cards.findIndex((card) => card.contains(target));
  const buttonsOf = (card: Element | undefined): HTMLElement[] => [
    ...(card?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? []),
  ];
  const [down, right] = step;
  const button = buttonsOf(cards[at]).indexOf(target);
  if (right !== 0) {
    buttonsOf(cards[at])[button + right]?.focus();
    return;
  }
  const way = down > 0 ? cards.slice(at + 1) : cards.slice(0, at).reverse();
  const reached = way.filter((card) => buttonsOf(card).length > 0);
  const buttons = buttonsOf(Math.abs(down) === 1 ? reached[0] : reached.at(-1));
  buttons[Math.min(Math.max(button, 0), buttons.length - 1)]?.focus();
}
