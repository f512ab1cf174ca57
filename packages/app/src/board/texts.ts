import type { Texts } from '../frame/language.tsx';

const en = {
  pending: 'To make',
  ready: 'Ready',
  closed: 'Handed over',
  move: { ready: 'Ready', closed: 'Handed over' },
  cancel: 'Cancel order',
  sureToCancel: (number: number) => `Cancel order ${number}?`,
  cancelMeans: {
    unpaid: 'Its stock is given back and its payment rejected. This cannot be undone here.',
    paid: 'Its stock is given back. It stays paid: give the money back and record the refund at the desk. This cannot be undone here.',
  },
  keep: 'Keep it',
  order: (number: number) => `Order ${number}`,
  takeAway: 'Take away',
  none: 'Nothing here',
  more: (count: number) => `and ${count} more`,
  came: (number: number) => `New order ${number}`,
  waits: 'Will be sent when there is a connection',
  refused: (number: number) => `Order ${number} stays`,
  unanswered: (number: number) => `Order ${number}: no answer`,
  notSent: (number: number) => `Order ${number}: a move was not sent`,
  tooOld: 'There was no connection for ten minutes. Look where it is now.',
};

const es: typeof en = {
  pending: 'Por hacer',
  ready: 'Listos',
  closed: 'Entregados',
  move: { ready: 'Listo', closed: 'Entregado' },
  cancel: 'Cancelar pedido',
  sureToCancel: (number) => `¿Cancelar el pedido ${number}?`,
  cancelMeans: {
    unpaid: 'Se devuelve su stock y se rechaza su pago. Aquí no se puede deshacer.',
    paid: 'Se devuelve su stock. Sigue pagado: devuelva el dinero y anote la devolución en el escritorio. Aquí no se puede deshacer.',
  },
  keep: 'Dejarlo',
  order: (number) => `Pedido ${number}`,
  takeAway: 'Para llevar',
  none: 'Nada por aquí',
  more: (count) => `y ${count} más`,
  came: (number) => `Nuevo pedido ${number}`,
  waits: 'Se enviará cuando haya conexión',
  refused: (number) => `El pedido ${number} queda donde está`,
  unanswered: (number) => `Pedido ${number}: sin respuesta`,
  notSent: (number) => `Pedido ${number}: un cambio no se envió`,
  tooOld: 'No hubo conexión durante diez minutos. Mire dónde está ahora.',
};

/** The texts of the board. */
export const boardTexts: Texts<typeof en> = { en, es };
