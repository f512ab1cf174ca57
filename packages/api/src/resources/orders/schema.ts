import { z } from 'zod';
import { exampleIds } from '../../examples.ts';
import { list } from '../../lists.ts';
import { typedAs } from '../../typed-as.ts';
import {
  dateRange,
  Exactly,
  ExternalId,
  Id,
  Label,
  ProductId,
  page,
  paging,
  Quantity,
  ReferenceId,
  rangeOrder,
  ShownExternalId,
  ShownQuantity,
  TaxRate,
  Timestamp,
  text,
} from '../../wire.ts';
import { changes, changesPage, oneBeginning } from '../changes/schema.ts';
import { books, booksMean, Payment, PaymentSummary } from '../payments/schema.ts';
import { carried, carriedCreate, personal } from './carried.schema.ts';
import {
  exampleCreation,
  exampleOrder,
  exampleRead,
  exampleSold,
  exampleSummary,
} from './examples.schema.ts';

/** The status of an order. Specification: Order status. */
export const OrderStatus = z
  .enum(['pending', 'ready', 'closed', 'canceled'])
  .meta({ id: 'OrderStatus', description: 'closed and canceled are final.' });
export type OrderStatus = z.infer<typeof OrderStatus>;

/** A sum of money. */
export const Amount = z.number().meta({ description: "In the location's currency, 2 decimals." });

const summary = {
  id: Id,
  number: z
    .int()
    .meta({ description: 'Counts up per location from 1, without gaps or repeats.', example: 45 }),
  status: OrderStatus,
  total: Amount,
  created_at: Timestamp,
  payment: PaymentSummary,
};

/** An order as lists show it: exactly these six fields. */
export const OrderSummary = z
  .object(summary)
  .meta({ id: 'OrderSummary', description: 'An order as lists show it.', example: exampleSummary });
export type OrderSummary = z.infer<typeof OrderSummary>;

/** The selections of a line. */
export const OrderItemSelection = z
  .object({
    item_id: z.string().meta({ description: 'The id of the chosen item.' }),
    quantity: ShownQuantity,
  })
  .meta({ id: 'OrderItemSelection', description: 'An item chosen from a subselection of the product.' });

const comment = { description: 'A remark on the line, for the kitchen.' };
const subselections = { description: 'The selections of the line.' };

/** A line of an order: the specification's fields, and name and prices as of creation. */
export const OrderItem = z
  .object({
    product_id: ProductId,
    name: z.string().meta({ description: "The product's name when the order was made." }),
    quantity: ShownQuantity,
    unit_price: Amount.meta({
      description: 'The price of one, its chosen items included, when the order was made.',
    }),
    total: Amount.meta({ description: 'quantity × unit_price, rounded half away from zero to 2 decimals.' }),
    comment: z.string().optional().meta(comment),
    subselections: z.array(OrderItemSelection).optional().meta(subselections),
  })
  .meta({ id: 'OrderItem', description: 'A line of an order.' });
export type OrderItem = z.infer<typeof OrderItem>;

/** A line, and what `include=snapshot` adds: what was sold, as it was when the order was made. Contract: as it was sold. */
export const OrderItemAsSold = OrderItem.extend({
  line_id: z.int().optional().meta({
    description: 'With `details`: the number of the line in its order, by which an edit names it.',
    example: 1,
  }),
  external_id: z
    .string()
    .optional()
    .meta({ description: 'With `snapshot`: your identifier of the product when the order was made.' }),
  sku: z
    .string()
    .optional()
    .meta({ description: "With `snapshot`: the product's sku when the order was made." }),
  tax_rate: TaxRate.optional().meta({
    description:
      "With `tax` or `snapshot`: the product's rate of tax when the order was made; none where it had none.",
  }),
  subselections: z
    .array(
      OrderItemSelection.extend({
        name: z.string().optional().meta({ description: "With `snapshot`: the item's name then." }),
        unit_price: z
          .number()
          .optional()
          .meta({ description: 'With `snapshot`: what one of it added to the price then.' }),
        external_id: z
          .string()
          .optional()
          .meta({ description: 'With `snapshot`: your identifier of the item then.' }),
      }).meta({
        id: 'OrderItemSelectionAsSold',
        description: 'A selection, with the fields that `snapshot` adds.',
      }),
    )
    .optional()
    .meta(subselections),
}).meta({ id: 'OrderItemAsSold', description: 'A line of an order, and what `snapshot` adds.' });

const channel = { description: 'Where the order comes from, such as `web` or `kiosk`.' };
const takeAway = { description: 'Whether the order is taken away.' };
const lines = { description: 'The lines of the order.' };

const details = {
  external_id: ShownExternalId.optional().meta({ example: 'demo-0045' }),
  channel: z.string().optional().meta(channel),
  is_take_away: z.boolean().optional().meta(takeAway),
  identifier: z.string().optional().meta({ description: 'Free label: a table or similar.' }),
  payment_method_id: z.string().optional().meta({ description: 'The id of the payment method.' }),
  cancel_reason: z.string().optional().meta({ description: 'Why the order was canceled, as it was given.' }),
  ...carried,
};

/** An order in full, as the specification's Order; also the payload of the `order.*` events. */
export const Order = z
  .object({
    ...summary,
    ...details,
    items: z.array(OrderItem).meta(lines),
  })
  .meta({ id: 'Order', description: 'An order in full.', example: exampleOrder });
export type Order = z.infer<typeof Order>;

/** An order in full, with what was sold as it was then. */
export const OrderAsSold = Order.extend({ items: z.array(OrderItemAsSold).meta(lines) }).meta({
  id: 'OrderAsSold',
  description: 'An order in full, with what `snapshot` adds.',
  example: exampleSold,
});
export type OrderAsSold = z.infer<typeof OrderAsSold>;

const orderBooks = {
  ...books,
  turn_id: Id.optional().meta({ description: 'The turn that counts it; none where none was open.' }),
};

const revised = {
  revision: z
    .int()
    .optional()
    .meta({
      description:
        'With `revision`: the counter that its `ETag` ends with. It rises with each change of what a tag covers (Preconditions), so of ' +
        'two readings the one with the greater counter is the newer.',
      example: 1769850000123,
    }),
};

const allPayments = {
  payments: z.array(Payment).optional().meta({
    description:
      'With `payments`: all its payments, oldest first. The last one is the `payment` of the order; those before it were rejected.',
  }),
};

/** An order in full, and what `include` asks for. */
export const OrderWithBooks = OrderAsSold.extend({
  ...orderBooks,
  ...personal,
  ...allPayments,
  ...revised,
}).meta({
  id: 'OrderWithBooks',
  description: 'An order in full, and what `include` asks for.',
  example: exampleRead,
});
export type OrderWithBooks = z.infer<typeof OrderWithBooks>;

/** The fields that a list shows in addition to the six fields when `include` asks for them, by their names there. */
export const included = {
  details: Object.keys(details) as (keyof typeof details)[],
  items: ['items'],
  books: Object.keys(orderBooks) as (keyof typeof orderBooks)[],
  customer: Object.keys(personal) as (keyof typeof personal)[],
  snapshot: [],
  tax: [],
  revision: Object.keys(revised) as (keyof typeof revised)[],
  payments: Object.keys(allPayments) as (keyof typeof allPayments)[],
} as const;

const Include = z.enum([
  'details',
  'items',
  'books',
  'customer',
  'snapshot',
  'tax',
  'revision',
  'payments',
] satisfies (keyof typeof included)[]);

/** The fields of lines alone. */
const ofLines = ['snapshot', 'tax'] as const;

const asSold =
  '`snapshot`: the lines as they were sold, with `external_id`, `sku` and `tax_rate`, and name, price and `external_id` of what was ' +
  'chosen; `tax`: their `tax_rate` alone';

/** An entry of the v2 list: the six fields, and what `include` asks for. */
export const OrderListEntry = z
  .object({
    ...summary,
    ...details,
    ...orderBooks,
    ...personal,
    ...allPayments,
    ...revised,
    items: z.array(OrderItemAsSold).optional().meta(lines),
  })
  .meta({
    id: 'OrderListEntry',
    description: 'An order as lists show it, and what `include` asks for.',
    example: exampleRead,
  });
export type OrderListEntry = z.infer<typeof OrderListEntry>;

/** A choice of a line to create. Quantities of chosen items are whole: the products' own may have decimals. */
export const SelectionCreate = z
  .object({
    item_id: Id,
    quantity: z
      .int()
      .min(1, 'must be at least 1')
      .max(9_999_999_999, 'must be at most 9999999999')
      .meta(ShownQuantity.meta() ?? {}),
  })
  .meta({
    id: 'OrderItemSelectionCreate',
    description: 'An item that is chosen from a subselection of the product.',
  });

const ItemCreateV1 = z
  .object({
    product_id: Id,
    quantity: Quantity.gt(0, 'must be more than 0'),
    comment: text(0, 1_000).optional().meta(comment),
    subselections: list(SelectionCreate, 200, 'must hold at most 200 choices').optional().meta(subselections),
  })
  .meta({ id: 'OrderItemCreateV1', description: 'A line of an order to create.' });

/** A line of an order to create. */
export const ItemCreate = ItemCreateV1.extend({
  external_product_id: ExternalId.optional().meta({
    description: "Must not contradict the product's own external_id.",
  }),
}).meta({ id: 'OrderItemCreate', description: 'A line of an order to create.' });

const items = <Item extends z.ZodType>(item: Item) =>
  list(item, 200, 'must hold 1 to 200 items').min(1, 'must hold 1 to 200 items').meta(lines);

const creation = {
  external_id: ExternalId.meta({ example: 'POS-7731' }),
  channel: Label.optional().meta(channel),
  is_take_away: z.boolean().meta(takeAway),
  identifier: text(0, 255).meta({ description: 'Free label: a table or similar; may be empty.' }),
  payment_method_id: Id,
};

const whilePaused = z.boolean().optional().meta({
  description:
    'Create it although the location is paused. It takes effect only for a key with the permission `orders:pause`.',
  example: true,
});

/** The body that creates an order on v2. */
export const OrderCreate = z
  .object({ ...creation, ...carriedCreate, while_paused: whilePaused, items: items(ItemCreate) })
  .meta({ description: 'The body that creates an order.', example: exampleCreation });
export type OrderCreate = z.infer<typeof OrderCreate>;

/** The body that creates an order on v1: `external_product_id` is unknown there, so it is ignored. */
export const OrderCreateV1 = z
  .object({ ...creation, items: items(ItemCreateV1) })
  .meta(OrderCreate.meta() ?? {});

/** The body that moves an order. `pending` is a status, but never a legal target. */
const target = typedAs(z.nonoptional(OrderStatus), OrderStatus.exclude(['pending']));
export const OrderUpdateStatus = z.object({ id: Id, status: target }).meta({
  description: 'The body that moves an order to another status.',
  example: { status: 'ready' },
});

/** The body that cancels an order. */
export const OrderCancel = z
  .object({
    id: Id,
    reason: text(0, 500).optional().meta({ description: 'Kept as cancel_reason.' }),
  })
  .meta({ description: 'The body that cancels an order.', example: { reason: 'The guest left.' } });

/** The body that adds a payment to an order. */
export const OrderPaymentAdd = z.object({ id: Id, payment_method_id: Id }).meta({
  id: 'OrderPaymentAdd',
  description: 'The method of another payment of an order.',
  example: { payment_method_id: exampleIds.paymentMethod },
});
export type OrderPaymentAdd = z.infer<typeof OrderPaymentAdd>;

const filters = {
  status: OrderStatus.optional().meta({ description: 'Only entries with this status.' }),
  ...dateRange,
  number: z.int().optional().meta({ description: 'The order number.', example: 45 }),
  sort: z
    .enum(['created_at', 'number', 'total'])
    .default('created_at')
    .meta({ description: 'The order of the list.' }),
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .meta({ description: 'Whether the list ascends or descends.', example: 'asc' }),
};

/** The filters of the v2 list. */
export const OrderList = z
  .object({
    ...paging,
    ...filters,
    ...changes,
    status: z
      .union([OrderStatus, list(OrderStatus, 20).min(1, 'must name at least one status')])
      .optional()
      .meta({ description: 'One status or several, as in `pending,ready`.', example: ['pending', 'ready'] }),
    external_id: ShownExternalId.optional().meta({ example: 'demo-0045' }),
    channel: Exactly.optional().meta({ description: 'Only orders of this channel.', example: 'counter' }),
    turn_id: ReferenceId.optional().meta({
      description: 'The turn that counts them.',
      example: exampleIds.turn,
    }),
    settlement_id: ReferenceId.optional().meta({
      description: 'The settlement that counts them.',
      example: exampleIds.settlement,
    }),
    include: list(Include, 20)
      .min(1, 'must name details, items, books, customer, payments, snapshot, tax or revision')
      .refine((include) => include.includes('items') || !ofLines.some((part) => include.includes(part)), {
        error: 'snapshot and tax are of the lines: name items, too',
      })
      .optional()
      .meta({
        description:
          'More than the six fields: `details` (external_id, channel, …), `items`, or both, which is the Order in full, with the `line_id` of ' +
          'each line; ' +
          '`books`: `turn_id`, `settlement_id` and `completed_at`; `payments`: all its payments; `customer`: `customer` and `delivery`, for a key ' +
          'with the permission `customers:read`; `revision`: the counter of its `ETag`; ' +
          `beside \`items\` ${asSold}.`,
        example: ['details', 'items'],
      }),
  })
  .check(rangeOrder)
  .check(oneBeginning);
export type OrderList = z.infer<typeof OrderList>;

/** The filters of the v1 list. */
export const OrderListV1 = z.object({ ...paging, ...filters }).check(rangeOrder);

const includeRead = list(z.enum(['books', 'customer', 'details', 'payments', 'revision', ...ofLines]), 20)
  .min(1, 'must name books, customer, details, payments, revision, snapshot or tax')
  .optional()
  .meta({
    description:
      `More than the documented fields: ${booksMean}; \`payments\`: all its payments; \`customer\`: \`customer\` and \`delivery\`, for a key ` +
      `with the permission \`customers:read\`; \`details\`: the \`line_id\` of each line; \`revision\`: the counter of its \`ETag\`; ${asSold}.`,
    example: ['books', 'snapshot'],
  });

/** The parameters of reading one on v2. */
export const OrderRead = z.object({ id: Id, include: includeRead });
export type OrderRead = z.infer<typeof OrderRead>;

/** The parameters of reading one on v2 by the caller's own identifier. */
export const OrderReadByExternalId = z.object({
  external_id: ShownExternalId.meta({ example: 'demo-0045' }),
  include: includeRead,
});

export const OrderPage = changesPage(OrderListEntry);

export const OrderPageV1 = page(OrderSummary);
