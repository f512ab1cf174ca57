import type { Texts } from '../frame/language.tsx';

const en = {
  planned: 'Planned prices',
  none: 'No price is planned.',
  when: 'When',
  price: 'Price',
  newPrice: 'New price',
  who: 'Who',
  withCategory: (percent: string) => `${percent}, with its category`,
  cancel: 'Cancel',
  cancelOf: (price: string, when: string) => `${price}, ${when}`,
  plan: 'Plan a price',
  from: 'From (day and time)',
  means: 'Someone who changes the price before then cancels the plan. A time in the past is now.',
  submit: 'Plan it',
  history: 'Price history',
  sum: (changes: number, first: string, last: string) =>
    `${changes === 1 ? '1 change' : `${changes} changes`}, from ${first} to ${last}`,
  isPlanned: 'planned',
  now: 'Now',
  asTable: 'As a table',
};

const es: typeof en = {
  planned: 'Precios previstos',
  none: 'No hay ningún precio previsto.',
  when: 'Cuándo',
  price: 'Precio',
  newPrice: 'Precio nuevo',
  who: 'Quién',
  withCategory: (percent) => `${percent}, con su categoría`,
  cancel: 'Anular',
  cancelOf: (price, when) => `${price}, ${when}`,
  plan: 'Prever un precio',
  from: 'Desde (día y hora)',
  means: 'Quien cambia el precio antes deja sin efecto lo previsto. Una hora pasada es ahora.',
  submit: 'Preverlo',
  history: 'Historia del precio',
  sum: (changes, first, last) =>
    `${changes === 1 ? '1 cambio' : `${changes} cambios`}, de ${first} a ${last}`,
  isPlanned: 'previsto',
  now: 'Ahora',
  asTable: 'Como tabla',
};

/** The texts of planned and past prices. */
export const priceTexts: Texts<typeof en> = { en, es };
