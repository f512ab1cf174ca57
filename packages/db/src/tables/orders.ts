import type { Order, OrderItem, OrderMove, Payment, PaymentMethod } from '../generated/prisma/client.ts';
import { type Column, money, percentage, plain, stock, table } from './table.ts';

export const paymentMethods = table<PaymentMethod>()('payment_methods', {
  columns: {
    ...plain('location_id id created_at updated_at'),
    name: { edited: true, length: [1, 255] },
    type: { edited: true },
    enabled: { edited: true },
  },
  people: 'edit',
  editEvents: { unpublished: 'no event has payment methods: inform the integrators' },
  belongs: { sandbox: 'emptied last' },
  guards: [
    {
      never: ['id', 'location_id', 'created_at'],
      sentence: 'the id, the location and the creation of a payment method never change: make another one',
    },
    {
      never: ['type'],
      when: 'payment_method_used(OLD.location_id, OLD.id)',
      sentence: 'this payment method has payments, so its type stays: disable it and make another one',
    },
    {
      kept: 'this payment method has payments, so it is kept: disable it',
      when: 'payment_method_used(OLD.location_id, OLD.id)',
    },
  ],
});

/** A text of the guest that an order is for, taken as it was sent; null where none was. */
const ofGuest = (what: string, most = 255): Column => ({
  published: true,
  edited: true,
  length: [0, most],
  personal: { what, erasedTo: 'null' },
});

export const orders = table<Order>()('orders', {
  columns: {
    ...plain('location_id id turn_id created_at updated_at created_by request_id revision'),
    number: { published: true },
    external_id: {
      published: true,
      recorded: 'before and after',
      edited: true,
      length: [1, 255],
      personal: { what: 'the number of another system', until: 'the location is deleted' },
    },
    status: { published: true, recorded: 'before and after', edited: true },
    total: { published: true, number: money },
    channel: { published: true, edited: true, length: [1, 255] },
    is_take_away: { published: true, edited: true },
    identifier: {
      published: true,
      edited: true,
      length: [0, 255],
      personal: { what: 'a label: a table, often a name', erasedTo: 'empty' },
    },
    payment_method_id: { published: true },
    cancel_reason: {
      published: true,
      edited: true,
      length: [0, 500],
      personal: { what: 'why, in words', erasedTo: 'null' },
    },
    note: ofGuest('a remark of a guest', 1_000),
    promised_at: { published: true, edited: true },
    guests: { published: true, edited: true },
    customer_name: { ...ofGuest('the name of a guest'), length: [1, 255] },
    customer_phone: ofGuest('a telephone number'),
    customer_email: ofGuest('an email address'),
    customer_tax_id: ofGuest('the number that a guest pays taxes under'),
    delivery_lines: ofGuest('an address', 1_000),
    delivery_city: ofGuest('part of an address'),
    delivery_postal_code: ofGuest('part of an address'),
    delivery_country: ofGuest('part of an address', 2),
    delivery_note: ofGuest('how to find a guest', 1_000),
    adjustments: { published: true },
    last_line: { published: true, revises: true },
  },
  people: 'edit',
  editEvents: {
    publish: [
      'order.created',
      'order.updated',
      'order.status_changed',
      'order.cancelled',
      'order.completed',
      'payment.updated',
      'payment.rejected',
      'stock.updated',
    ],
  },
  versioned: 'edited',
  belongs: { sandbox: 'emptied twice' },
  published: {
    as: 'order',
    lastState: true,
    capturedByPlaceOrder: true,
    counted: { by: 'r.status', at: 'order_stretch(1, r.created_at)' },
  },
  lengthsHeldBy: { function: 'refuse_order_texts', onUpdateOf: ['created_at', 'promised_at', 'guests'] },
  guards: [
    {
      never: ['id', 'location_id', 'created_at', 'created_by', 'request_id'],
      sentence: 'the id, the location, the creation and the maker of an order never change',
    },
    {
      never: ['number', 'turn_id'],
      when: 'OLD.number > 0 OR pg_trigger_depth() = 0',
      sentence: 'an order gets its number and its turn at its commit, and keeps them',
    },
    {
      never: ['total', 'adjustments', 'last_line'],
      when: 'OLD.number > 0',
      sentence: 'the total of an order never changes: cancel it and place another one (POST /v2/orders)',
    },
    {
      never: ['payment_method_id'],
      when: 'OLD.number > 0 AND pg_trigger_depth() = 0',
      sentence:
        'the payment method of an order never changes by hand: reject its payment, and insert another one (POST /v2/orders/{id}/payments)',
    },
    {
      kept: 'an order that has its number is kept, because numbers have no gaps: cancel it (POST /v2/orders/{id}/cancel)',
      when: 'OLD.number > 0',
    },
  ],
  keptInStudio: 'an order is never deleted: set its status to canceled',
});

export const orderItems = table<OrderItem>()('order_items', {
  key: ['order_id', 'position'],
  columns: {
    ...plain('location_id order_id position product_id name category selections stock_taken'),
    tax_rate: { number: percentage },
    unit_price: { number: money },
    quantity: { number: { ...stock, least: '0.001' } },
    total: { number: money },
    external_id: { length: [1, 255] },
    sku: { length: [1, 255] },
    comment: { length: [0, 1_000], personal: { what: 'wishes of a guest', erasedTo: 'null' } },
  },
  people: 'edit',
  editEvents: { publish: ['order.created'], rows: 'with their order' },
  belongs: { partOf: 'orders' },
  lengthsHeldBy: { function: 'guard_line' },
  guards: [
    { lines: 'the lines of an order never change: cancel it and place another one (POST /v2/orders)' },
  ],
});

export const payments = table<Payment>()('payments', {
  columns: {
    ...plain('location_id id order_id replaced created_at updated_at'),
    amount: { published: true, number: money },
    status: { published: true, recorded: 'before and after', edited: true },
    payment_method_id: { published: true },
  },
  people: 'edit',
  editEvents: {
    publish: ['payment.updated', 'payment.completed', 'payment.rejected', 'order.updated'],
  },
  service: ['select', 'insert', 'update'],
  belongs: { partOf: 'orders' },
  published: { as: 'payment', lastState: true, capturedByPlaceOrder: true },
  guards: [
    {
      never: ['id', 'location_id', 'order_id', 'payment_method_id', 'amount', 'created_at'],
      sentence:
        'the order, the method and the amount of a payment never change: reject it, and insert another one',
    },
    {
      never: ['replaced'],
      when: 'pg_trigger_depth() = 0',
      sentence:
        'replaced never changes by hand: insert another payment of the order, once this one is rejected',
    },
    { kept: 'an order is never without its payment: reject the payment, or cancel the order' },
  ],
});

export const orderMoves = table<OrderMove>()('order_moves', {
  schema: 'internal',
  key: ['order_id', 'id'],
  columns: {
    ...plain('location_id order_id from_status to_status moved_by request_id moved_at difference'),
    id: { sequence: 'internal.order_moves_id_seq' },
    deed: { personal: { what: 'why your owner moved it', until: 'the location is deleted' } },
  },
  people: 'none',
  service: ['select'],
  belongs: { partOf: 'orders' },
  serviceOnly: 'moves are noted by themselves: update the status of the order',
});
