/** Holds on a page that follows the events. */
export const live = `document.querySelector('.live.live') !== null`;

/** The column of an order. */
export const column = (number: number): string =>
  `document.querySelector('article[data-number="${number}"]')?.closest('section').classList[1]`;

/** The button that moves an order on. */
export const moveButton = (number: number): string => `article[data-number="${number}"] .move`;

/** The button that asks whether to cancel an order. */
export const cancelButton = (number: number): string => `article[data-number="${number}"] .beside`;
