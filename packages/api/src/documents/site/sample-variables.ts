import { demoNames, exampleIds } from '../../examples.ts';

/** An id that a sample needs, and the call whose answer has it. The demo restaurant answers each of them. */
export interface SampleVariable {
  /** In capitals, as a shell names it. */
  name: string;
  /** The id of the documents that it represents. */
  example: string;
  /** `POST /v2/orders` */
  call: string;
  /** The JSON body; `now` in its texts is replaced by the present time, so that each call makes something new. */
  body?: object;
  /** The `Idempotency-Key`, with `now` as in the body. */
  key?: string;
  /** The text around the id in the answer: the first one is taken. */
  before?: string;
  after?: string;
}

/** The placeholder for the present time in bodies and keys. */
export const now = '{now}';

const created = (
  name: string,
  example: string,
  call: string,
  body: object,
  key?: string,
): SampleVariable => ({
  name,
  example,
  call,
  body,
  ...(key !== undefined && { key }),
});
const method = {
  name: 'METHOD',
  example: exampleIds.paymentMethod,
  call: 'GET /v2/payment-methods',
};
const first = (name: string, example: string, path: string): SampleVariable => ({
  name,
  example,
  call: `GET ${path}?limit=1`,
});
const hook = (key: string) =>
  created(
    'ENDPOINT',
    exampleIds.endpoint,
    'POST /v2/webhook-endpoints',
    { url: 'https://erp.example.com/hooks/comanda', events: ['order.created'] },
    key,
  );

/** The variables that samples set before they use them: reading, or made once and then found again. */
const usual: readonly SampleVariable[] = [
  {
    name: 'ITEM',
    example: exampleIds.item,
    call: 'GET /v2/catalog',
    after: `,"external_id":"${demoNames.item}"`,
  },
  {
    name: 'PRODUCT',
    example: exampleIds.product,
    call: `GET /v2/products/by-external-id/${demoNames.product}`,
  },
  {
    name: 'CATEGORY',
    example: exampleIds.category,
    call: `GET /v2/categories/by-external-id/${demoNames.category}`,
  },
  { name: 'ORDER', example: exampleIds.order, call: `GET /v2/orders/by-external-id/${demoNames.order}` },
  method,
  first('PAYMENT', exampleIds.payment, '/v2/payments'),
  first('TURN', exampleIds.turn, '/v2/turns'),
  first('SETTLEMENT', exampleIds.settlement, '/v2/settlements'),
  first('CERTIFICATION', exampleIds.certification, '/v2/certifications'),
  {
    ...created(
      'JOB',
      exampleIds.job,
      'POST /v2/sync/products',
      { items: [{ external_id: 'DR-02', name: 'Espresso', price: 120 }] },
      'docs-job',
    ),
    before: '"job_id":"',
  },
  hook('docs-endpoint'),
];

const espresso = {
  name: 'PRODUCT',
  example: exampleIds.product,
  call: 'GET /v2/products/by-external-id/DR-02',
};
const newOrder = [
  espresso,
  method,
  created(
    'ORDER',
    exampleIds.order,
    'POST /v2/orders',
    {
      external_id: `docs-${now}`,
      is_take_away: true,
      identifier: '',
      payment_method_id: exampleIds.paymentMethod,
      items: [{ product_id: exampleIds.product, quantity: 1 }],
    },
    `docs-${now}`,
  ),
];

/** Where a sample changes for good, or deletes, what it names: it makes that itself. By the operation's id. */
const ownOf: Readonly<Record<string, readonly SampleVariable[]>> = {
  ordersUpdateStatus: newOrder,
  ordersCancel: newOrder,
  productsDelete: [
    created('PRODUCT', exampleIds.product, 'POST /v2/products', {
      external_id: `docs-${now}`,
      name: 'Soup of the day',
      description: 'With bread.',
      price: 180,
    }),
  ],
  categoriesDelete: [
    created('CATEGORY', exampleIds.category, 'POST /v2/categories', {
      external_id: `docs-${now}`,
      name: 'Soups',
      priority: 70,
      visible: true,
    }),
  ],
  webhookEndpointsDelete: [hook(`docs-${now}`)],
};

/** The variables of a sample, in the order in which they are set: those whose ids are in `text`. */
export function variablesOf(operationId: string, text: string): SampleVariable[] {
  const own = ownOf[operationId];
  return own === undefined ? usual.filter(({ example }) => text.includes(example)) : [...own];
}
