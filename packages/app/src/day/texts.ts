import type { Texts } from '../frame/language.tsx';

const en = {
  of: (day: string) => `Sales of ${day}`,
  date: 'Day',
  orders: 'Orders',
  sales: 'Sales',
  collected: 'Collected in this turn',
  average: 'Average ticket',
  byHour: 'By hour',
  byChannel: 'By channel',
  byMethod: 'By payment method',
  low: 'Stock running low',
  left: 'Left',
  alarm: 'Alarm at',
  product: 'Product',
  noChannel: 'No channel',
  noSales: 'No sales on this day.',
  allStocked: 'Nothing is running low.',
  asTable: 'As a table',
};

const es: typeof en = {
  of: (day) => `Ventas del ${day}`,
  date: 'Día',
  orders: 'Pedidos',
  sales: 'Ventas',
  collected: 'Cobrado en este turno',
  average: 'Ticket promedio',
  byHour: 'Por hora',
  byChannel: 'Por canal',
  byMethod: 'Por medio de pago',
  low: 'Stock por agotarse',
  left: 'Quedan',
  alarm: 'Aviso en',
  product: 'Producto',
  noChannel: 'Sin canal',
  noSales: 'No hubo ventas este día.',
  allStocked: 'No hay nada por agotarse.',
  asTable: 'Como tabla',
};

/** The texts of the day. */
export const dayTexts: Texts<typeof en> = { en, es };
