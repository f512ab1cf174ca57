import type { Texts } from '../frame/language.tsx';

const en = {
  turn: (number: string) => `Turn ${number}`,
  allTurns: 'All turns',
  closed: 'Closed turns and their settlements',
  started: 'Opened',
  ended: 'Closed',
  orders: 'Orders',
  ordersOf: ({ closed, canceled, open }: { closed: number; canceled: number; open: number }) =>
    `${closed} closed, ${canceled} canceled, ${open} open`,
  collected: 'Collected',
  counted: 'Counted in the drawer',
  difference: 'Difference to what was expected',
  corrections: 'Corrections',
  refunds: 'Refunds',
  entries: 'Entries of the settlement, oldest first',
  method: 'Method',
  kinds: { payment: 'payment', correction: 'correction', refund: 'refund' },
};

const es: typeof en = {
  turn: (number) => `Turno ${number}`,
  allTurns: 'Todos los turnos',
  closed: 'Turnos cerrados y sus liquidaciones',
  started: 'Abierto',
  ended: 'Cerrado',
  orders: 'Pedidos',
  ordersOf: ({ closed, canceled, open }) => `${closed} cerrados, ${canceled} cancelados, ${open} abiertos`,
  collected: 'Cobrado',
  counted: 'Contado en la caja',
  difference: 'Diferencia con lo esperado',
  corrections: 'Correcciones',
  refunds: 'Devoluciones',
  entries: 'De qué se compone la liquidación, lo más antiguo primero',
  method: 'Medio',
  kinds: { payment: 'pago', correction: 'corrección', refund: 'devolución' },
};

/** The texts of turns. */
export const turnTexts: Texts<typeof en> = { en, es };
