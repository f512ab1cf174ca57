import { catalogExamples } from './catalog-examples.ts';
import { certificationExamples } from './certification-examples.ts';
import {
  createdIds,
  demoNames,
  exampleLocation,
  exampleIds as ids,
  exampleMenu as menu,
} from './demo-examples.ts';
import { historyExamples } from './history-examples.ts';

// One story runs through every example: the restaurant of the demo data sells a flat white, and adds a croissant.
const at = (time: string) => `2026-01-31T${time}-03:00`;

const stock = { enabled: true, quantity: 24, min_stock_alarm: 5 };
const product = {
  id: ids.product,
  ...menu.flatWhite,
  visible: true,
  stock,
  categories: [{ id: ids.category, name: menu.drinks.name }],
};
/** The rate of Uruguay. */
const tax_rate = 22;
const createdCategory = { external_id: 'CAT-20', name: 'Bakery', priority: 20 };
const pagination = { limit: 50, offset: 0, total: 1 };
const cursor = 'eyJlIjoiNWYyYTljMWIiLCJzIjoxNzY5ODE3NjAwMDAwfQ';
const payment = { id: ids.payment, status: 'pending' };
const summary = {
  id: ids.order,
  number: 45,
  status: 'pending',
  total: 410,
  created_at: at('21:05:09.120'),
  payment,
};
const turn = { id: ids.turn, batch_number: '31', started_at: at('08:00:00.000') };
const totals = { total_orders: 112, total_collected: 3271.5 };
const settlement = {
  id: ids.settlement,
  batch_number: '31',
  started_at: at('08:00:00.000'),
  ended_at: at('23:00:00.000'),
  total_orders: 112,
  total_collected: 3271.5,
  average_ticket: 30.29,
};
const orderCreate = {
  external_id: 'POS-7731',
  channel: 'kiosk',
  is_take_away: true,
  identifier: 'Table 4',
  items: [
    {
      product_id: ids.product,
      quantity: 2,
      comment: 'Extra hot',
      subselections: [{ item_id: ids.item, quantity: 1 }],
    },
  ],
  payment_method_id: ids.paymentMethod,
};
const orderLines = orderCreate.items.map((item) => ({
  ...item,
  name: menu.flatWhite.name,
  unit_price: menu.flatWhite.price + menu.oat.price,
  total: 410,
}));
const order = {
  ...summary,
  external_id: demoNames.order,
  channel: orderCreate.channel,
  is_take_away: true,
  identifier: orderCreate.identifier,
  payment_method_id: ids.paymentMethod,
  items: orderLines,
};
const orderAsSold = {
  ...order,
  items: orderLines.map((line) => ({
    ...line,
    ...{ external_id: menu.flatWhite.external_id, sku: menu.flatWhite.sku, tax_rate },
    subselections: line.subselections.map((chosen) => ({
      ...chosen,
      ...{ name: menu.oat.name, unit_price: menu.oat.price, external_id: menu.oat.external_id },
    })),
  })),
};
const orderRead = { ...orderAsSold, turn_id: ids.turn, revision: 1769850000123 };
const endpoint = {
  id: ids.endpoint,
  url: 'https://erp.example.com/hooks/comanda',
  events: ['order.created', 'order.status_changed'],
  status: 'active',
  created_at: at('20:58:41.007'),
  dead_count: 0,
};

/** The example of a component, by its name in the documents. */
export const componentExamples: Readonly<Record<string, unknown>> = {
  Order: order,
  OrderAsSold: orderAsSold,
  OrderWithBooks: orderRead,
  OrderListEntry: orderRead,
  OrderQuoteRequest: orderCreate,
  OrderQuote: { total: 410, items: orderLines, refusals: [] },
  OrderSummary: summary,
  OrderCreate: orderCreate,
  OrderUpdateStatus: { status: 'ready' },
  OrderCancel: { reason: 'The guest left.' },
  Product: product,
  ProductRead: { ...product, tax_rate },
  ProductCreate: {
    ...menu.croissant,
    visible: true,
    category_ids: [ids.category],
    stock,
    image_url: product.image_url,
  },
  ProductUpdate: { price: 175, visible: true },
  Stock: stock,
  StockEntry: {
    product_id: ids.product,
    external_id: menu.flatWhite.external_id,
    sku: menu.flatWhite.sku,
    name: menu.flatWhite.name,
    stock,
    updated_at: at('21:05:09.120'),
  },
  Category: {
    id: ids.category,
    ...menu.drinks,
    visible: true,
    image_url: 'https://images.example.com/drinks.jpg',
  },
  CategoryCreate: { ...createdCategory, visible: true },
  PriceChange: { percent: 10 },
  MenuCopy: { from_key: 'cmd_live_…' },
  KeyNarrow: { permissions: ['orders:read'] },
  CategoryUpdate: { name: 'Hot drinks', priority: 5 },
  ...catalogExamples(ids, at),
  ...historyExamples(ids, at),
  Turn: { ...turn, status: 'closed', ended_at: at('23:00:00.000'), ...totals },
  OpenTurn: {
    ...turn,
    status: 'open',
    ...totals,
    methods: [
      { method: 'qr', count: 68, collected: 2151.5, refunded: 0 },
      { method: 'cash', count: 40, collected: 1120, refunded: -2 },
    ],
  },
  ...certificationExamples,
  StartedSyncJob: { job_id: ids.job, status: 'queued', total_items: 2 },
  ProductSync: {
    mode: 'upsert',
    items: [{ ...menu.cortado, visible: true }, menu.lungo],
  },
  SyncJob: {
    job_id: ids.job,
    type: 'products',
    mode: 'upsert',
    status: 'completed',
    total_items: 2,
    processed_items: 2,
    success_items: 1,
    failed_items: 1,
    errors: [
      {
        index: 1,
        external_id: menu.lungo.external_id,
        code: 'conflict',
        message: `sku ${menu.flatWhite.sku} is taken by another product.`,
      },
    ],
    created_at: at('21:10:00.000'),
    started_at: at('21:10:00.041'),
    completed_at: at('21:10:00.093'),
  },
  Payment: {
    id: ids.payment,
    order_id: ids.order,
    payment_method_id: ids.paymentMethod,
    method: 'cash',
    amount: 410,
    status: 'pending',
    created_at: at('21:05:09.120'),
    updated_at: at('21:05:09.120'),
  },
  SettlementSummary: settlement,
  Settlement: {
    ...settlement,
    turn_id: ids.turn,
    payments: [
      { method: 'cash', count: 40, amount: 1120 },
      { method: 'qr', count: 68, amount: 2151.5 },
    ],
    orders: { closed: 106, canceled: 4, open: 2 },
  },
  SalesReport: {
    from: '2026-01-31',
    to: '2026-01-31',
    currency: exampleLocation.currency,
    group_by: 'channel',
    total_orders: 108,
    total_amount: 3300.5,
    average_ticket: 30.56,
    rows: [
      { key: 'kiosk', name: 'kiosk', orders: 80, quantity: 171, amount: 2480.5 },
      { key: '', name: '', orders: 28, quantity: 44, amount: 820 },
    ],
  },
  PaymentMethod: { id: ids.paymentMethod, name: 'Cash', type: 'cash', enabled: true },
  Location: {
    ...exampleLocation,
    created_at: at('08:00:00.000'),
  },
  WebhookEndpoint: endpoint,
  WebhookEndpointWithSecret: { ...endpoint, secret: 'whsec_SIGNING_SECRET' },
  WebhookEndpointCreate: { url: endpoint.url, events: endpoint.events },
  WebhookEndpointUpdate: { events: ['order.created', 'order.cancelled'], status: 'active' },
  WebhookEndpointUpdateV1: { events: ['order.created', 'order.cancelled'], status: 'active' },
  WebhookDelivery: {
    id: '01935a3f-9c0d-7e1f-8a2b-3c4d5e6f7081',
    event_id: ids.event,
    event_type: 'order.created',
    attempt: 1,
    status: 'failed',
    response_code: 503,
    error: 'HTTP 503',
    duration_ms: 84,
    attempted_at: at('21:05:09.412'),
    next_attempt_at: at('21:06:09.496'),
  },
  WebhookTest: { event_id: ids.event, type: 'webhook.test' },
  Deleted: { id: ids.order, deleted: true },
  Pagination: pagination,
  ChangesPagination: { ...pagination, next: cursor },
  EventPagination: pagination,
};

/** The fields that an operation's answer shows and the example of its component does not, by the operation's name. */
export const answerExamples: Readonly<Record<string, object>> = {
  'orders.create': {
    ...{ id: createdIds.order, number: 47, external_id: orderCreate.external_id },
    payment: { ...payment, id: createdIds.payment },
  },
  'products.create': { id: createdIds.product, ...menu.croissant },
  'products.update': { price: 175 },
  'categories.create': { id: createdIds.category, ...createdCategory },
  'categories.update': { name: 'Hot drinks', priority: 5 },
  'orders.updateStatus': { status: 'ready' },
  'orders.cancel': {
    status: 'canceled',
    cancel_reason: 'The guest left.',
    payment: { ...payment, status: 'rejected' },
  },
};

/** The example of a field, by its name, where its schema has none of its own. */
export const fieldExamples: Readonly<Record<string, unknown>> = {
  id: ids.order,
  about: ids.product,
  job_id: ids.job,
  order_id: ids.order,
  product_id: ids.product,
  category_id: ids.category,
  item_id: ids.item,
  payment_method_id: ids.paymentMethod,
  event_id: ids.event,
  location_id: exampleLocation.id,
  ...menu.flatWhite,
  amount: 410,
  total: 410,
  total_items: 2,
  success_items: 2,
  failed_items: 0,
  error: 'Every item was refused.',
  quantity: 2,
  number: 45,
  status: 'pending',
  previous_status: 'pending',
  version: 17,
  published_at: at('21:12:30.250'),
  created_at: at('21:05:09.120'),
  updated_at: at('21:05:09.120'),
  started_at: at('08:00:00.000'),
  ended_at: at('23:00:00.000'),
  period_start: at('08:00:00.000'),
  period_end: at('23:00:00.000'),
  batch_number: '31',
  total_orders: 112,
  total_collected: 3271.5,
  total_amount: 3271.5,
  limit: 50,
  offset: 0,
  cursor,
  channel: 'kiosk',
  identifier: 'Table 4',
  comment: 'Extra hot',
  cancel_reason: 'The guest left.',
  unit_price: 205,
  from: '2026-01-31',
  to: '2026-01-31',
  timezone: exampleLocation.timezone,
  currency: exampleLocation.currency,
  code: 'validation_error',
  message: 'price: must not be negative',
};
