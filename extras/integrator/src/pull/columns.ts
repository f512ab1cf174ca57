/** An order as the list with details, items and snapshot has it, as far as it is written. */
export interface PulledOrder {
  id: string;
  number: number;
  status: string;
  total: number;
  created_at: string;
  payment: { id: string; status: string };
  external_id?: string;
  channel?: string;
  is_take_away?: boolean;
  identifier?: string;
  payment_method_id?: string;
  cancel_reason?: string;
  note?: string;
  promised_at?: string;
  guests?: number;
  adjustments?: { name: string; total: number }[];
  items: PulledItem[];
}

interface PulledItem {
  product_id: string;
  external_id?: string;
  sku?: string;
  tax_rate?: number;
  name: string;
  quantity: number;
  unit_price: number;
  total: number;
  comment?: string;
  subselections?: { item_id: string; quantity: number; name?: string; external_id?: string }[];
}

/** A line of an order, and its place. */
export interface OrderLine {
  order: PulledOrder;
  item: PulledItem;
  /** From 1. */
  line: number;
}

type Value = string | number | boolean | undefined;

/** The columns of a file of orders, in their order: a row is a line of an order. */
export const orderColumns: Readonly<Record<string, (each: OrderLine) => Value>> = {
  order_id: ({ order }) => order.id,
  number: ({ order }) => order.number,
  status: ({ order }) => order.status,
  created_at: ({ order }) => order.created_at,
  external_id: ({ order }) => order.external_id,
  channel: ({ order }) => order.channel,
  is_take_away: ({ order }) => order.is_take_away,
  identifier: ({ order }) => order.identifier,
  payment_id: ({ order }) => order.payment.id,
  payment_status: ({ order }) => order.payment.status,
  payment_method_id: ({ order }) => order.payment_method_id,
  cancel_reason: ({ order }) => order.cancel_reason,
  order_total: ({ order }) => order.total,
  line: ({ line }) => line,
  product_id: ({ item }) => item.product_id,
  product_external_id: ({ item }) => item.external_id,
  product_sku: ({ item }) => item.sku,
  name: ({ item }) => item.name,
  quantity: ({ item }) => item.quantity,
  unit_price: ({ item }) => item.unit_price,
  line_total: ({ item }) => item.total,
  comment: ({ item }) => item.comment,
  choices: ({ item }) =>
    item.subselections
      ?.map(({ quantity, external_id, name, item_id }) => `${quantity} x ${external_id ?? name ?? item_id}`)
      .join(' | '),
  // Behind the others, for programs that read columns by their place.
  tax_rate: ({ item }) => item.tax_rate,
  note: ({ order }) => order.note,
  promised_at: ({ order }) => order.promised_at,
  guests: ({ order }) => order.guests,
  adjustments: ({ order }) => order.adjustments?.map(({ name, total }) => `${total} ${name}`).join(' | '),
};

// A text that a spreadsheet takes for a formula, also behind spaces and in the wide forms of these signs.
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/** How cells are written. */
export interface CellStyle {
  decimal: 'comma' | 'point';
  /** Whether texts stay that a spreadsheet would take for a formula. */
  raw: boolean;
}

/** The cells of a line, and how many of them got a sign before them that makes a spreadsheet take them for text. */
export function cellsOf(each: OrderLine, { decimal, raw }: CellStyle): { cells: string[]; guarded: number } {
  let guarded = 0;
  const cells = Object.values(orderColumns).map((column) => {
    const value = column(each);
    if (typeof value === 'number')
      return decimal === 'comma' ? String(value).replace('.', ',') : String(value);
    if (typeof value !== 'string') return value === undefined ? '' : String(value);
    if (raw || !formula.test(value)) return value;
    guarded += 1;
    return `'${value}`;
  });
  return { cells, guarded };
}
