import type { oas31 } from 'zod-openapi';
import { demoNames, exampleIds } from '../../examples.ts';
import { IdempotencyKey } from '../../wire.ts';
import { type Documented, isStream, parametersOf } from './documented.ts';
import { curl, node, now, python, type SampleCall, type SampleVariable } from './sample-writers.ts';

/** A language that every operation has a sample in. The sample reads the environment variables `COMANDA_URL` and `COMANDA_KEY`. */
interface SampleLanguage {
  name: string;
  /** How Markdown names it. */
  fence: string;
  /** Its requirements, with the lowest version. */
  needs: string;
  write(call: SampleCall): string;
}

/** The languages, in the order of their tabs. Neither needs a package. */
export const sampleLanguages: readonly SampleLanguage[] = [
  { name: 'curl', fence: 'sh', needs: 'curl', write: curl },
  { name: 'Node', fence: 'js', needs: 'Node 18 or later, as a file `.mjs`', write: node },
  { name: 'Python', fence: 'python', needs: 'Python 3.8 or later', write: python },
];

/** The call of an operation. Throws when a required parameter has no example. */
export function sampleCall({ method, path, operation, components }: Documented): SampleCall {
  const content = (operation.requestBody as oas31.RequestBodyObject | undefined)?.content['application/json'];
  // With its own identifier in the body a second call would be a conflict, were it no repeat.
  const creates = Object.hasOwn(Object(content?.example), 'external_id') && method === 'POST';
  const needed = parametersOf(operation, components).filter(
    ({ name, required }) => required || (creates && name === 'Idempotency-Key'),
  );
  // The document has no example of the optional header.
  const values = new Map(
    needed.map(({ name, example }) => [
      name,
      String(name === 'Idempotency-Key' ? IdempotencyKey.meta()?.example : example),
    ]),
  );
  const of = (place: string) => needed.filter((each) => each.in === place).map(({ name }) => name);
  const value = (name: string) => {
    const known = values.get(name);
    if (known === undefined || known === 'undefined')
      throw new Error(`${method} ${path}: ${name} has no example`);
    return known;
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const query = of('query').map((name) => `${name}=${encodeURIComponent(value(name))}`);
  const headers = of('header').map((name): [string, string] => [name, value(name)]);
  return {
    method,
    streams: isStream({ operation }),
    path: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    headers: content === undefined ? headers : [...headers, ['Content-Type', 'application/json']],
    ...(content !== undefined && { body: content.example }),
    variables: variablesOf(operation.operationId ?? '', filled + JSON.stringify(content?.example ?? '')),
  };
}

const variable = (
  name: string,
  example: string,
  call: string,
  more: Pick<SampleVariable, 'body' | 'key' | 'before' | 'after'> = {},
): SampleVariable => ({ name, example, call, ...more });

const {
  item,
  product,
  category,
  order,
  paymentMethod,
  payment,
  turn,
  settlement,
  certification,
  job,
  endpoint,
  priceChange,
} = exampleIds;
const method = variable('METHOD', paymentMethod, 'GET /v2/payment-methods');
const hook = (key: string) =>
  variable('ENDPOINT', endpoint, 'POST /v2/webhook-endpoints', {
    body: { url: 'https://erp.example.com/hooks/comanda', events: ['order.created'] },
    key,
  });

/** The variables that samples set before they use them: reading, or made once and then found again. */
const usual: readonly SampleVariable[] = [
  variable('ITEM', item, 'GET /v2/catalog', { after: `,"external_id":"${demoNames.item}"` }),
  variable('PRODUCT', product, `GET /v2/products/by-external-id/${demoNames.product}`),
  variable('CATEGORY', category, `GET /v2/categories/by-external-id/${demoNames.category}`),
  variable('ORDER', order, `GET /v2/orders/by-external-id/${demoNames.order}`),
  method,
  variable('PAYMENT', payment, 'GET /v2/payments?limit=1'),
  variable('TURN', turn, 'GET /v2/turns?limit=1'),
  variable('SETTLEMENT', settlement, 'GET /v2/settlements?limit=1'),
  variable('CERTIFICATION', certification, 'GET /v2/certifications?limit=1'),
  variable('JOB', job, 'POST /v2/sync/products', {
    body: { items: [{ external_id: 'DR-02', name: 'Espresso', price: 120 }] },
    key: 'docs-job',
    before: '"job_id":"',
  }),
  hook('docs-endpoint'),
];

/** The call that makes an order. */
const placing = (name: string) => ({
  call: 'POST /v2/orders',
  key: name,
  body: {
    external_id: name,
    is_take_away: true,
    identifier: '',
    payment_method_id: paymentMethod,
    items: [{ product_id: product, quantity: 1 }],
  },
});
const newOrder = (name: string): SampleVariable[] => [
  variable('PRODUCT', product, 'GET /v2/products/by-external-id/DR-02'),
  method,
  { name: 'ORDER', example: order, ...placing(`${name}-${now}`) },
];
/** The payment of an order that was just made. */
const newPayment = (name: string) => [
  ...newOrder(name),
  variable('PAYMENT', payment, 'GET /v2/payments?status=pending&limit=1'),
];
/** Planned prices of the product that is found first. */
const newPrices = (key: string): SampleVariable[] => [
  variable('PRODUCT', product, 'GET /v2/products/by-external-id/DR-02'),
  variable('PRICES', priceChange, 'POST /v2/price-changes', {
    body: { effective_at: '2030-01-01T00:00:00-03:00', prices: [{ product_id: product, price: 180 }] },
    key,
  }),
];
const soup = { external_id: `docs-${now}`, name: 'Soup of the day', description: 'With bread.', price: 180 };
const soups = { external_id: `docs-${now}`, name: 'Soups', priority: 70, visible: true };

/** Where a sample changes for good, or deletes, what it names: it makes that itself. By the operation's id. */
const ownOf: Readonly<Record<string, readonly SampleVariable[]>> = {
  ordersUpdateStatus: newOrder('docs'),
  ordersCancel: newOrder('docs'),
  paymentsComplete: newPayment('docs-complete'),
  paymentsReject: newPayment('docs-reject'),
  // Always the same order, as the key is.
  ordersAddPayment: [
    variable('PRODUCT', product, 'GET /v2/products/by-external-id/DR-02'),
    method,
    { name: 'ORDER', example: order, ...placing('docs-payment') },
    { name: 'PAYMENT', example: payment, ...placing('docs-payment'), before: '"payment":{"id":"' },
    variable('REJECTED', 'the rejected payment', `POST /v2/payments/${payment}/reject`, {
      key: 'docs-rejected',
    }),
  ],
  // Always the same, as the key is: samples pay in cash.
  paymentsRefund: [variable('PAYMENT', payment, 'GET /v2/payments?status=completed&method=card&limit=1')],
  priceChangesGet: newPrices('docs-prices'),
  priceChangesCancel: newPrices(`docs-${now}`),
  productsDelete: [variable('PRODUCT', product, 'POST /v2/products', { body: soup })],
  categoriesDelete: [variable('CATEGORY', category, 'POST /v2/categories', { body: soups })],
  webhookEndpointsDelete: [hook(`docs-${now}`)],
};

/** The variables of a sample, in the order in which they are set: those whose ids are in `text`. */
function variablesOf(operationId: string, text: string): SampleVariable[] {
  const own = ownOf[operationId];
  return own === undefined ? usual.filter(({ example }) => text.includes(example)) : [...own];
}
