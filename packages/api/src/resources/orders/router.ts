import { idempotentOperation, operation, router } from '../../call/operation.ts';
import { ById } from '../../wire.ts';
import { Payment } from '../payments/schema.ts';
import { addPayment } from './add-payment.service.ts';
import { create } from './create.service.ts';
import { OrderEdit } from './edit.schema.ts';
import { edit } from './edit.service.ts';
import { exampleCanceled, exampleCreated } from './examples.schema.ts';
import { OrderExport, OrderExportRequest } from './export.schema.ts';
import { exportOrders } from './export.service.ts';
import { OrderOverview, OrderWanted } from './overview.schema.ts';
import { overview } from './overview.service.ts';
import { OrderQuote, OrderQuoteRequest } from './quote.schema.ts';
import { quote } from './quote.service.ts';
import {
  Order,
  OrderCancel,
  OrderCreate,
  OrderCreateV1,
  OrderList,
  OrderListV1,
  OrderPage,
  OrderPageV1,
  OrderPaymentAdd,
  OrderRead,
  OrderReadByExternalId,
  OrderUpdateStatus,
  OrderWithBooks,
} from './schema.ts';
import { OrderSearch, OrdersFound } from './search.schema.ts';
import * as orders from './service.ts';
import { OrderTimeline } from './timeline.schema.ts';

/** Specification: Orders, v1 and v2. */
export const ordersRouter = router({
  list: operation({
    permission: 'orders:read',
    summary: 'List orders',
    description:
      'Newest first unless `sort` and `order` say otherwise. With `updated_since` by the moment of the last change; the ' +
      'answer has a `Link` to follow, again and again: nothing that changes is missed.',
    rest: ['GET /v2/orders'],
  })
    .input(OrderList)
    .output(OrderPage)
    .query(({ ctx, input }) => orders.list(ctx, input)),

  get: operation({
    permission: 'orders:read',
    summary: 'Read an order',
    description: 'In full: its items with what was chosen, its total, its payment.',
    rest: ['GET /v2/orders/{id}'],
    errors: ['resource_not_found'],
    tag: 'orders',
  })
    .input(OrderRead)
    .output(OrderWithBooks)
    .joinedQuery(({ ctx, input }) => orders.get(ctx, input.id, input.include)),

  getByExternalId: operation({
    permission: 'orders:read',
    summary: 'Read an order by your own identifier',
    description:
      'As by id: the way to learn whether an order arrived. An `external_id` is percent-encoded in the path.',
    rest: ['GET /v2/orders/by-external-id/{external_id}'],
    errors: ['resource_not_found'],
    tag: 'orders',
  })
    .input(OrderReadByExternalId)
    .output(OrderWithBooks)
    .query(({ ctx, input }) => orders.getByExternalId(ctx, input.external_id, input.include)),

  create: idempotentOperation({
    permission: 'orders:write',
    summary: 'Create an order',
    description:
      'Makes its payment and takes its stock. Repeating it with the same key returns the original.',
    rest: ['POST /v2/orders'],
    status: 201,
    errors: ['conflict'],
    tag: 'orders',
    answerExample: exampleCreated,
  })
    .input(OrderCreate)
    .output(Order)
    .joinedMutation(({ ctx, input }) => create(ctx, input)),

  quote: operation({
    permission: 'orders:write',
    summary: 'Ask for an order before it is placed',
    description:
      'Takes the body of creation and decides as creation would at this moment: lines, total, and in `refusals` all ' +
      'that creation would refuse. Changes nothing, holds nothing back, and takes no `Idempotency-Key`. A malformed ' +
      'body is a `validation_error` here, too.',
    rest: ['POST /v2/orders/quote'],
  })
    .input(OrderQuoteRequest)
    .output(OrderQuote)
    .query(({ ctx, input }) => quote(ctx, input)),

  updateStatus: operation({
    permission: 'orders:write',
    summary: 'Change the status of an order',
    description: 'pending → ready → closed; pending and ready → canceled. Any other move is a conflict.',
    rest: ['PATCH /v1/orders/{id}/status', 'PATCH /v2/orders/{id}/status'],
    errors: ['resource_not_found', 'conflict'],
    tag: 'orders',
    answerExample: { status: 'ready' },
  })
    .input(OrderUpdateStatus)
    .output(Order)
    .joinedMutation(({ ctx, input }) => orders.move(ctx, input.id, input.status)),

  edit: operation({
    permission: 'orders:write',
    summary: 'Edit a pending order',
    description:
      'Adds, changes and removes lines, and changes whom and when it is for. Lines that stay keep their price, new ones take that of now; ' +
      'adjustments by percent are computed again. Stock follows, and a pending payment takes the new total. An edit of lines needs `If-Match`.',
    rest: ['PATCH /v2/orders/{id}'],
    errors: ['resource_not_found', 'conflict'],
    tag: 'orders',
    asksForTag: true,
    answerExample: { note: 'No onions', guests: 3 },
  })
    .input(OrderEdit)
    .output(Order)
    .mutation(({ ctx, input }) => edit(ctx, input)),

  cancel: operation({
    permission: 'orders:write',
    summary: 'Cancel an order',
    description: 'Gives back its stock and rejects its pending payment.',
    rest: ['POST /v2/orders/{id}/cancel'],
    errors: ['resource_not_found', 'conflict'],
    tag: 'orders',
    answerExample: exampleCanceled,
  })
    .input(OrderCancel)
    .output(Order)
    .joinedMutation(({ ctx, input }) => orders.move(ctx, input.id, 'canceled', input.reason)),

  addPayment: idempotentOperation({
    permission: 'payments:write',
    summary: 'Add a payment to an order',
    description:
      'Another payment, pending, after the payment of the order was rejected: by the same method or another one, of the total ' +
      'of the order. The order shows it from then on; `include=payments` shows all. It is recorded: no payment provider is called.',
    rest: ['POST /v2/orders/{id}/payments'],
    status: 201,
    errors: ['resource_not_found', 'conflict'],
  })
    .input(OrderPaymentAdd)
    .output(Payment)
    .mutation(({ ctx, input }) => addPayment(ctx, input)),

  export: operation({
    permission: 'orders:export',
    summary: 'Export orders',
    description:
      'Full orders of whole days, oldest first, as of one moment. REST sends them while they are ' +
      'read. A range with more than `max_items_per_batch` orders is read in pages; each is a batch job.',
    rest: ['GET /v2/orders/export'],
    batch: true,
  })
    .input(OrderExportRequest)
    .output(OrderExport)
    .query(({ ctx, input }) => exportOrders(ctx, input)),

  timeline: operation({
    permission: 'orders:read',
    summary: 'Read what happened to an order',
    description:
      'Oldest first: creation and moves with their authors, the events of the order and of its payments, and each ' +
      'attempt to deliver these.',
    rest: ['GET /v2/orders/{id}/timeline'],
    errors: ['resource_not_found'],
  })
    .input(ById)
    .output(OrderTimeline)
    .query(({ ctx, input }) => orders.timeline(ctx, input.id)),

  overview: operation({
    permission: 'orders:read',
    summary: 'Read everything about an order',
    description:
      'By its id, its number or your own identifier: the order in full, its payment, its turn, its timeline, every delivery ' +
      'of its events, and what the key may do with it.',
    errors: ['resource_not_found'],
  })
    .input(OrderWanted)
    .output(OrderOverview)
    .query(({ ctx, input }) => overview(ctx, input, ctx.caller.granted)),

  search: operation({
    permission: 'orders:read',
    summary: 'Find orders by a text',
    description:
      'Newest first, of at most 31 days: what has the text in its identifier or `external_id`, or in name or comment of a line.',
  })
    .input(OrderSearch)
    .output(OrdersFound)
    .query(({ ctx, input }) => orders.search(ctx, input)),
});

/** The differences of the first family. */
export const ordersV1Router = router({
  list: operation({
    permission: 'orders:read',
    summary: 'List orders',
    description: 'Newest first unless `sort` and `order` say otherwise.',
    rest: ['GET /v1/orders'],
  })
    .input(OrderListV1)
    .output(OrderPageV1)
    .query(({ ctx, input }) => orders.list(ctx, input)),

  get: operation({
    permission: 'orders:read',
    summary: 'Read an order',
    description: 'In full: its items with what was chosen, its total, its payment.',
    rest: ['GET /v1/orders/{id}'],
    errors: ['resource_not_found'],
    tag: 'orders',
  })
    .input(ById)
    .output(Order)
    .joinedQuery(({ ctx, input }) => orders.get(ctx, input.id)),

  create: idempotentOperation({
    permission: 'orders:write',
    summary: 'Create an order',
    description:
      'Makes its payment and takes its stock. Repeating it with the same key returns the original.',
    rest: ['POST /v1/orders'],
    status: 201,
    errors: ['conflict'],
    tag: 'orders',
    answerExample: exampleCreated,
  })
    .input(OrderCreateV1)
    .output(Order)
    .joinedMutation(({ ctx, input }) => create(ctx, input)),
});
