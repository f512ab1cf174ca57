import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { Order } from '../../packages/api/src/resources/orders/schema.ts';
import type { Answer, TestApi } from './api.ts';
import { createPaymentMethod, createProduct } from './factories.ts';
import type { Place } from './place.ts';
import { parseStrict } from './strict.ts';
import { type Lifetime, use } from './use.ts';

/** The rows that an order needs: a product of 12.50 without stock, and an enabled payment method. */
export interface OrderRows {
  productId: string;
  paymentMethodId: string;
}

/** The rows, and orders of them by the key of the API: a flat white each, unless `overrides` say otherwise. */
export interface OrderKitchen extends OrderRows {
  body(overrides?: Overrides): Record<string, unknown>;
  post(overrides?: Overrides, call?: OrderCall): Promise<Answer>;
  place(overrides?: Overrides): Promise<Order>;
  refuse(overrides?: Overrides, path?: string): Promise<string>;
}

type Overrides = Record<string, unknown>;
type OrderCall = Parameters<typeof postOrder>[2];

/** Makes one at the location of the API's key, or at another. */
export async function createOrderKitchen(
  api: Pick<Place, 'app' | 'locationId' | 'rest'>,
  locationId = api.locationId,
): Promise<OrderKitchen> {
  const rows: OrderRows = {
    productId: await createProduct(api.app.database, { locationId }),
    paymentMethodId: await createPaymentMethod(api.app.database, { locationId }),
  };
  return {
    ...rows,
    body: (overrides) => orderBody(rows, overrides),
    post: (overrides, call) => postOrder(api, orderBody(rows, overrides), call),
    place: (overrides) => placeOrder(api, rows, overrides),
    refuse: (overrides, path) => refuseOrder(api, orderBody(rows, overrides), path),
  };
}

/** One for the tests of a file, or a new one for each test. */
export const useOrderKitchen = (
  api: Parameters<typeof createOrderKitchen>[0],
  lifetime?: Lifetime,
): OrderKitchen => use(() => createOrderKitchen(api), undefined, lifetime);

/** A valid creation body for one flat white; `overrides` replace or, when undefined, remove members. */
export function orderBody(
  { productId, paymentMethodId }: OrderRows,
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    external_id: `PO-${randomUUID()}`,
    is_take_away: false,
    identifier: 'Table 4',
    items: [{ product_id: productId, quantity: 1 }],
    payment_method_id: paymentMethodId,
    ...overrides,
  };
}

/** Posts an order; with a key of its own unless `idempotencyKey` says otherwise. */
export function postOrder(
  api: Pick<TestApi, 'rest'>,
  body: unknown,
  {
    path = '/v2/orders',
    idempotencyKey = randomUUID() as string,
    key = undefined as string | undefined,
  } = {},
): Promise<Answer> {
  const headers = { 'idempotency-key': idempotencyKey };
  return api.rest(`POST ${path}`, { body, headers, ...(key !== undefined && { key }) });
}

/** Posts an order that must succeed; its full form, strictly as documented. */
export async function placeOrder(
  api: Pick<TestApi, 'rest'>,
  kitchen: OrderRows,
  overrides: Record<string, unknown> = {},
): Promise<Order> {
  const answer = await postOrder(api, orderBody(kitchen, overrides));
  expect(answer.status, answer.text).toBe(201);
  return orderOf(answer);
}

/** The full order of an answer, strictly as documented. */
export const orderOf = ({ body }: Answer): Order => parseStrict(z.object({ data: Order }), body).data;

/** The code and message of a refusal, in the specification's envelope. */
export function refusalOf({ body }: Answer): { code: string; message: string } {
  const { error } = z
    .strictObject({
      error: z.strictObject({ code: z.string(), message: z.string(), request_id: z.string().min(1) }),
    })
    .parse(body);
  return { code: error.code, message: error.message };
}

/** Posts an order that must be refused with a `validation_error`; its message. */
export async function refuseOrder(
  api: Pick<TestApi, 'rest'>,
  body: unknown,
  path = '/v2/orders',
): Promise<string> {
  const answer = await postOrder(api, body, { path });
  expect(answer.status, answer.text).toBe(422);
  const { code, message } = refusalOf(answer);
  expect(code).toBe('validation_error');
  return message;
}
