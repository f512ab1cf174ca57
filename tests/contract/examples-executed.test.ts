import { describe, expect, test } from 'vitest';
import { type Answer, type Call, callRest } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import type { Made } from '../support/makers.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import {
  type DocumentedOperation,
  type DocumentedResponse,
  documentedOperations,
  unlike,
} from './documented-examples.ts';
import { type Kitchen, makeSubject, openKitchen } from './kitchen.ts';

const documented = [...(await documentedOperations('v1')), ...(await documentedOperations('v2'))];

// The worker makes the events and deliveries that some operations show; what failed is tried again by none of them.
const api = usePublishingApi([60, 60, 60, 60]);

test.each(documented)('the example is answered as its document says: $name', async (operation) => {
  const scene = await openScene(operation);
  requireAnswer(operation, await send(operation, requestOf(operation, scene), scene.kitchen.key));
});

describe('a list that is asked for without filters shows something', () => {
  const lists = documented.filter(({ success }) => 'pagination' in (success.example as object));

  test.each(lists)('$name', async (operation) => {
    const scene = await openScene(operation);
    const request = requestOf(operation, scene, { filters: false });
    await waitFor(`an entry of ${operation.name}`, async () => {
      const answer = await send(operation, request, scene.kitchen.key);
      requireAnswer(operation, answer);
      return (answer.body.data as unknown[]).length > 0;
    });
  });
});

test.each(documented)('errors are as their examples of $name', async (operation) => {
  for (const { status, example, faults } of operation.errors) {
    expect({ status, faults: faults(example) }).toEqual({ status, faults: [] });
  }
  const { kitchen, ...scene } = await openScene(operation);
  const request = requestOf(operation, { kitchen, ...scene });
  const path = operation.path.replace(/\{\w+\}/g, 'unknown');
  const provoked: [status: number, key: string | undefined, request: Request][] = [
    [401, undefined, request],
    [
      400,
      kitchen.key,
      operation.method === 'GET' ? { ...request, path: `${path}?limit=%FF` } : { ...request, body: '{' },
    ],
    [404, kitchen.key, { ...request, path }],
    [415, kitchen.key, { ...request, headers: { ...request.headers, 'content-type': 'text/plain' } }],
  ];
  for (const [status, key, wrong] of provoked) {
    const error = operation.errors.find((each) => each.status === status);
    // Without a parameter in its path nothing can be missing; a body that is not sent has no type.
    if (error === undefined || (status === 404 && path === operation.path)) continue;
    if (status === 415 && wrong.body === undefined) continue;
    const answer = await send(operation, wrong, key);
    const { code } = (error.example as ErrorExample).error;
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(error.faults(answer.body)).toEqual([]);
    expect(unlike(answer.body, [error.example])).toEqual([]);
    expect(missing(error, answer)).toEqual([]);
  }
});

interface ErrorExample {
  error: { code: string; message: string; request_id: string };
}

/** The rows to which the examples refer: a kitchen, the subject of the operation, an order, an event. */
interface Scene {
  kitchen: Kitchen;
  subject: Made;
  orderId: string;
  turnId: string;
  eventId: string;
}

interface Request {
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

async function openScene({ method, path, parameters }: DocumentedOperation): Promise<Scene> {
  const kitchen = await openKitchen(api, { sandbox: /^\/v2\/(sandbox|certifications)/.test(path) });
  const served = operations.find(({ routes }) =>
    routes.some((route) => route.method === method && route.path === path),
  );
  const orders = operations.find(({ name }) => name === 'orders.get');
  if (served === undefined || orders === undefined) throw new Error(`${method} ${path} is not served`);
  // An operation without a subject, or one whose subject cannot be made, needs none.
  const subject = path.includes('{')
    ? await makeSubject(kitchen, served)
    : await makeSubject(kitchen, served).catch((): Made => ({ id: '' }));
  // After the subject: an endpoint gets its event.
  const { id: orderId } = method === 'GET' ? await makeSubject(kitchen, orders) : { id: '' };
  const { prisma } = api;
  const event = parameters.some(({ name }) => name === 'after')
    ? await waitFor('an event', () =>
        prisma.event.findFirst({ where: { locationId: kitchen.locationId }, orderBy: { number: 'asc' } }),
      )
    : undefined;
  const turn = await prisma.turn.findFirst({ where: { locationId: kitchen.locationId } });
  return { kitchen, subject, orderId, turnId: turn?.id ?? '', eventId: event?.id ?? '' };
}

/** The values for the ids, addresses and own identifiers of the examples, by the name of the field. */
const standIns: Readonly<Record<string, (scene: Scene) => unknown>> = {
  product_id: ({ kitchen }) => kitchen.product.id,
  category_id: ({ kitchen }) => kitchen.category.id,
  category_ids: ({ kitchen }) => [kitchen.category.id],
  item_id: ({ kitchen }) => kitchen.itemId,
  payment_method_id: ({ kitchen }) => kitchen.paymentMethodId,
  order_id: ({ orderId }) => orderId,
  turn_id: ({ turnId }) => turnId,
  // That of none: the list is empty.
  settlement_id: ({ orderId }) => orderId,
  url: () => 'http://127.0.0.1:9/hook',
};

/** The request of the examples; without `filters` only what the operation requires, about today. */
function requestOf(operation: DocumentedOperation, scene: Scene, { filters = true } = {}): Request {
  const request: Request = { path: operation.path, headers: {} };
  const query: string[] = [];
  for (const { name, in: place, required, explode, example } of operation.parameters) {
    if (example === undefined && required) throw new Error(`the parameter ${name} has no example`);
    if (example === undefined || !(required || filters)) continue;
    if (place === 'path') {
      const text = name === 'external_id' ? scene.subject.externalId : scene.subject.id;
      request.path = request.path.replace(`{${name}}`, encodeURIComponent(text ?? ''));
    } else if (place === 'header') request.headers[name.toLowerCase()] = String(example);
    else {
      const value = !filters && (name === 'from' || name === 'to') ? today() : standIn(scene, name, example);
      const texts = Array.isArray(value) && explode ? value.map(String) : [String(value)];
      query.push(...texts.map((text) => `${name}=${encodeURIComponent(text)}`));
    }
  }
  if (query.length > 0) request.path += `?${query.join('&')}`;
  if ('body' in operation) request.body = standIn(scene, '', operation.body);
  return request;
}

function standIn(scene: Scene, field: string, example: unknown): unknown {
  const known = standIns[field];
  if (known !== undefined) return known(scene);
  if (Array.isArray(example)) return example.map((entry) => standIn(scene, '', entry));
  if (typeof example === 'object' && example !== null) {
    return Object.fromEntries(
      Object.entries(example).map(([name, member]) => [name, standIn(scene, name, member)]),
    );
  }
  if (typeof example === 'string' && /^[0-9a-f]{8}-/.test(example)) {
    throw new Error(`no row replaces the id ${example} of ${field}: add a row to standIns`);
  }
  return example;
}

// The kitchens are in UTC.
const today = (): string => new Date().toISOString().slice(0, 10);

function send({ method }: DocumentedOperation, { path, headers, body }: Request, key: string | undefined) {
  const call: Call = { headers, ...(body !== undefined && { body }), ...(key !== undefined && { key }) };
  return callRest(api.url, `${method} ${path}`, call);
}

/** Holds a success against the document: its status, schema and headers, and nothing that its example lacks. */
function requireAnswer({ path, success }: DocumentedOperation, answer: Answer): void {
  const { status, headers, body, text } = answer;
  expect({ status, text }).toEqual({ status: success.status, text });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(success.faults(body)).toEqual([]);
  expect(unlike(body, [success.example])).toEqual([]);
  // The example asks for the hours, whose answer has no tag.
  expect(missing(success, answer)).toEqual(path === '/v2/locations/current' ? ['ETag'] : []);
  expect(headers.get('x-ignored-fields')).toBeNull();
}

const sometimes = [
  'Idempotency-Replayed',
  'Link',
  'X-Ignored-Fields',
  'X-Read-As-Now',
  'X-Hidden-Event-Types',
  'Preference-Applied',
  'X-Comanda-Simulated',
  'Accept-Encoding',
];

/** The documented headers that an answer lacks, except for those that only some answers have. */
const missing = (documented: DocumentedResponse, { headers }: Answer): string[] =>
  documented.headers.filter((name) => !sometimes.includes(name) && !headers.has(name));
