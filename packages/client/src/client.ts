import {
  createTRPCClient,
  type HTTPLinkOptions,
  httpBatchLink,
  httpLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import type { AnyTRPCClientTypes } from '@trpc/server';
import type { AppRouter } from './surface.ts';

/** Where the service is, and who calls. */
export interface ClientOptions {
  /** The base URL, with or without a slash at its end: `https://api.example.com`. */
  url: string;
  /** The API key, `cmd_live_…`. It belongs on a server, never in a browser. */
  key: string;
  /** Sends the requests; the global `fetch` unless given. */
  fetch?: typeof fetch;
}

/** Every procedure as a function: `client.orders.create.mutate({ … })`, `client.products.list.query({ … })`. */
export type ComandaClient = TRPCClient<AppRouter>;

/**
 * The client of one service with one key. Queries made in the same tick share a request, at most ten of them;
 * each counts against the limits on its own. A mutation and a quote always go alone. A call that the service refuses
 * throws what `comandaError` reads.
 *
 * @throws {TypeError} when `url` is not an absolute URL.
 */
export function createClient({ url, key, fetch }: ClientOptions): ComandaClient {
  const options = {
    url: new URL('trpc', url.endsWith('/') ? url : `${url}/`),
    headers: { authorization: `Bearer ${key}` },
    ...(fetch && { fetch: adaptFetch(fetch) }),
  };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        // A quote is asked by a body: a long order is more than a URL holds.
        condition: ({ type, path }) => type === 'mutation' || path === 'orders.quote',
        true: httpLink({ ...options, methodOverride: 'POST' }),
        false: httpBatchLink({ ...options, maxItems: largestBatch, maxURLLength: longestUrl }),
      }),
    ],
  });
}

// tRPC describes fetch by a type of its own, which the real one misses by a hair.
function adaptFetch(send: typeof fetch): NonNullable<HTTPLinkOptions<AnyTRPCClientTypes>['fetch']> {
  return (input, init) => send(input, init as RequestInit);
}

/** The service takes no more calls in one request. */
const largestBatch = 10;

// The service takes 16 KiB of headers, the URL among them; proxies on the way often take 8.
const longestUrl = 7_500;
