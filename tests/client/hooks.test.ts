import {
  type ClientOptions,
  comandaError,
  createClient,
  type Hooks,
  type RequestSeen,
  type ResponseSeen,
  type RetrySeen,
} from '@comanda/client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { type Between, cut, standBetween, failureOf as thrownBy } from './between.ts';

const api = useApi();
const between: Between = useClosed(() => standBetween(api.url));
let id: string;

beforeAll(async () => {
  id = await api.make.product({ name: 'Flat White', price: 12.5 });
});
beforeEach(() => {
  between.came.length = 0;
});

function watched(hooks: Hooks = {}, options: Partial<ClientOptions> = {}) {
  const requests: RequestSeen[] = [];
  const responses: ResponseSeen[] = [];
  const retries: RetrySeen[] = [];
  const comanda = createClient({
    url: between.url,
    key: api.key.key,
    ...options,
    onRequest: (request) => {
      requests.push(request);
    },
    onResponse: (response) => responses.push(response),
    onRetry: (retry) => retries.push(retry),
    ...hooks,
  });
  return { comanda, requests, responses, retries };
}

describe('hooks', () => {
  it('see each try, its answer, and the wait before the next one', async () => {
    const { comanda, requests, responses, retries } = watched();
    between.fates.push(cut);
    await comanda.products.get.query({ id });
    const call = { path: 'products.get', type: 'query' };
    expect(requests).toEqual([1, 2].map((attempt) => ({ ...call, attempt, headers: {} })));
    expect(retries).toMatchObject([{ ...call, attempt: 1, error: { noAnswer: 'unreachable' } }]);
    expect(retries[0]?.waitMs).toBeGreaterThan(0);
    expect(responses).toMatchObject([{ ...call, attempt: 2, status: 200 }]);
    expect(responses[0]?.durationMs).toBeGreaterThan(0);
  });

  it('see what is refused, with the id that is in the logs', async () => {
    const { comanda, responses, retries } = watched();
    const refusal = comandaError(await thrownBy(comanda.orders.cancel.mutate({ id: 'nothing' })));
    expect(responses).toMatchObject([{ path: 'orders.cancel', type: 'mutation', status: 404 }]);
    expect(responses[0]?.requestId).toBe(refusal?.requestId);
    expect(retries).toEqual([]);
  });

  it('see each call of a batch, and the headers of its answer', async () => {
    const { comanda, responses } = watched();
    await Promise.all([1, 2].map(() => comanda.products.get.query({ id })));
    expect(between.came).toHaveLength(1);
    expect(responses.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual(
      Array(2).fill([200, expect.stringContaining('json')]),
    );
  });

  it.each(['onRequest', 'onResponse', 'onRetry'] as const)(
    'end the call with what %s throws',
    async (name) => {
      const mine = new Error('of the application');
      const { comanda } = watched({
        [name]: () => {
          throw mine;
        },
      });
      between.fates.push(...(name === 'onRetry' ? [cut] : []));
      const error = await thrownBy(comanda.products.get.query({ id }));
      expect(error).toMatchObject({ message: mine.message, cause: mine });
      expect(between.came).toHaveLength(name === 'onRequest' ? 0 : 1);
      expect(comandaError(error)).toBeUndefined();
    },
  );
});

describe('headers of a call', () => {
  function sending(hooks: Hooks = {}) {
    const sent: Record<string, string>[] = [];
    const send: typeof fetch = (url, init) => {
      sent.push(Object.fromEntries(new Headers(init?.headers)));
      return fetch(url, init);
    };
    return { ...watched(hooks, { fetch: send }), sent };
  }

  it('are sent with it, in any case of their letters, and with no other call', async () => {
    const { comanda, sent } = sending();
    const context = { headers: { 'X-Request-Id': 'mine-1' } };
    await Promise.all([
      comanda.products.get.query({ id }, { context }),
      comanda.products.get.query({ id }),
      comanda.products.get.query({ id }, { context }),
    ]);
    expect(sent.map((headers) => headers['x-request-id'])).toEqual(['mine-1', undefined]);
    await comanda.products.create.mutate({ name: 'Tea', description: '', price: 1 }, { context });
    expect(sent[2]).toMatchObject({ 'x-request-id': 'mine-1', 'content-type': 'application/json' });
  });

  it('can be added by onRequest, which is waited for', async () => {
    const { comanda, sent } = sending({
      async onRequest({ headers, path }) {
        await Promise.resolve();
        headers.traceparent = `of ${path}`;
      },
    });
    await comanda.products.get.query({ id });
    expect(sent[0]).toMatchObject({ traceparent: 'of products.get', authorization: `Bearer ${api.key.key}` });
  });
});
