import type { Texts } from '../frame/language.tsx';

const en = {
  from: 'From',
  to: 'To',
  by: 'By',
  show: 'Show',
  groupings: {
    product: 'Product',
    day: 'Day',
    category: 'Category',
    payment_method: 'Payment method',
    channel: 'Channel',
  },
  totals: (orders: string, amount: string) => `${orders} orders, ${amount}. Canceled ones do not count.`,
  sold: 'Products sold',
  quantity: 'Quantity',
  amount: 'Amount',
  without: '(none)',
};

const es: typeof en = {
  from: 'Desde',
  to: 'Hasta',
  by: 'Por',
  show: 'Mostrar',
  groupings: {
    product: 'Producto',
    day: 'Día',
    category: 'Categoría',
    payment_method: 'Medio de pago',
    channel: 'Canal',
  },
  totals: (orders, amount) => `${orders} pedidos, ${amount}. Los cancelados no cuentan.`,
  sold: 'Lo vendido',
  quantity: 'Cantidad',
  amount: 'Importe',
  without: '(ninguno)',
};

/** The texts of the sales report. */
export const salesTexts: Texts<typeof en> = { en, es };
