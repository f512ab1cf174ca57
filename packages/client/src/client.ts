import { createTRPCClient } from '@trpc/client';
import { callLink } from './call-link.ts';
import { withCallSites } from './call-site.ts';
import type { Origin } from './called.ts';
import type { Hooks } from './hooks.ts';
import { createSend } from './http-link.ts';
import type { Operations } from './operations.ts';
import { createPace } from './pace.ts';
import type { CallSettings } from './repeats.ts';
import type { RouterOf } from './router.ts';
import type { AppRouter } from './surface.ts';
import { createWatch, type LiveEvents } from './watch.ts';

/** Where the service is, who calls, and how long and how often a call is tried. */
export interface ClientOptions extends Hooks {
  /** The base URL, with or without a slash at its end: `https://api.example.com`. */
  url: string;
  /** The API key, `cmd_live_<code>_…`. It belongs on a server, never in a browser. */
  key: string;
  /**
   * How long a call may take in milliseconds, its repeats and the waits between them included; 30,000 unless given. While there
   * is no connection, or a proxy answers 502, 503 or 504 in the place of the service, a call is repeated until then.
   */
  timeoutMs?: number | undefined;
  /**
   * How often a call is repeated that the service refused with 429 or 503; 2 unless given. A mutation is repeated with its
   * idempotency key, so it is done once; one without gets a key of its own. With 0 nothing is repeated, and no key is made.
   */
  retries?: number | undefined;
  /**
   * For jobs: calls wait for the limits of the key, for an hour at most. They go as the limits allow it, and the waits count neither
   * against `timeoutMs` nor `retries`. Without it a call fails at once whose `Retry-After` is beyond its time.
   */
  waitForLimits?: boolean | undefined;
  /** Unknown fields of inputs are refused by name (`Prefer: handling=strict`): for tests and while you develop. */
  strict?: boolean | undefined;
  /** Sends the requests; the global `fetch` unless given. */
  fetch?: typeof fetch | undefined;
}

/**
 * The router of `createClient`, for integrations that ask for one: `createTRPCContext<ClientRouter>()`. It differs
 * from `AppRouter` in that results keep the names of their types.
 */
export type ClientRouter = RouterOf<
  Omit<AppRouter['_def']['_config']['$types'], 'transformer'> & {
    transformer: true;
  },
  AppRouter['_def']['record']
>;

/** Every operation as a function: `comanda.orders.create.mutate({ … })`, `comanda.products.list.query({ … })`. */
export type ComandaClient = Operations<AppRouter['_def']['record']> & { events: LiveEvents };

/**
 * The client of one service with one key. Queries made in the same tick share a request, at most ten of them; each
 * counts against the limits on its own, and ends by its own `signal`. A mutation and a quote always go alone. Errors
 * of a call are read by `comandaError` and `noAnswer`; their stack names the line of the call.
 *
 * @throws {TypeError} when `url` is not an absolute URL.
 * @throws {RangeError} when `timeoutMs` or `retries` is no number of that kind.
 *
 * @example
 * const comanda = createClient({ url: 'https://api.example.com', key: process.env['COMANDA_KEY'] ?? '' });
 * const orders = await comanda.orders.list.query({ status: ['pending', 'ready'] });
 */
export function createClient({
  url,
  key,
  timeoutMs = 30_000,
  retries = 2,
  waitForLimits = false,
  strict = false,
  fetch: send,
  ...hooks
}: ClientOptions): ComandaClient {
  const base = new URL(url.replace(/\/?$/, '/'));
  const headers = { authorization: `Bearer ${key}`, ...(strict && { prefer: 'handling=strict' }) };
  const service = { base, headers, send };
  const settings = checked({ timeoutMs, retries, ...hooks, pace: waitForLimits ? createPace() : undefined });
  const client = createTRPCClient<AppRouter>({
    links: [callLink(settings, createSend(service))],
  });
  const of: Origin = {};
  const calls = withCallSites(client, { path: '', of }) as object as Operations<AppRouter['_def']['record']>;
  const comanda = beside(calls, {
    events: beside<typeof calls.events, LiveEvents>(calls.events, { watch: createWatch(service) }),
  });
  of.client = comanda;
  return comanda;
}

/** All that `calls` has, and `own` before it: what tRPC makes answers to every name. */
const beside = <Calls extends object, Own extends object>(calls: Calls, own: Own): Calls & Own =>
  new Proxy(calls, {
    get: (inner, name) => Reflect.get(Object.hasOwn(own, name) ? own : inner, name),
  }) as Calls & Own;

function checked(settings: CallSettings): CallSettings {
  const { timeoutMs, retries } = settings;
  if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be more than 0, not ${timeoutMs}`);
  if (!Number.isInteger(retries) || retries < 0) {
    throw new RangeError(`retries must be 0 or a whole number above it, not ${retries}`);
  }
  return settings;
}
