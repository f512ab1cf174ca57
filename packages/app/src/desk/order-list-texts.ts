import type { Texts } from '../frame/language.tsx';

const en = {
  all: 'all',
  number: 'Order',
  from: 'From',
  to: 'To',
  text: 'Text in name, comment or item',
  show: 'Show',
  none: 'Orders appear here by themselves. Clear a filter, or take more days, to see others.',
  searched: (from: string, to: string) =>
    `The orders from ${from} to ${to} are searched: a text is looked for in at most 31 days.`,
};

const es: typeof en = {
  all: 'todos',
  number: 'Pedido',
  from: 'Desde',
  to: 'Hasta',
  text: 'Texto en nombre, comentario o artículo',
  show: 'Mostrar',
  none: 'Los pedidos aparecen aquí solos. Quite un filtro o tome más días para ver otros.',
  searched: (from, to) =>
    `Se buscan los pedidos desde ${from} hasta ${to}: un texto se busca en 31 días como máximo.`,
};

/** The texts of the list of orders. */
export const orderListTexts: Texts<typeof en> = { en, es };
