import { passCalls } from './calls.ts';
import type { Asked, GateOptions } from './options.ts';
import { callRefusal, type FrontRefusal, Refused, refused, restRefusal } from './refusals.ts';
import { type CallsRoute, routeOf, type StreamRoute } from './route.ts';
import { serviceFor } from './service.ts';
import { passStream } from './stream.ts';

/** Responds to a request of a browser; `undefined` where its path is not below that of the front. */
export type Gate = (asked: Asked) => Promise<Response | undefined>;

/** The common work of every entrance of a front. */
export function createGate(options: GateOptions): Gate {
  const { path, checkEveryMs = 60_000, onFault = console.error } = options;
  if (!path.startsWith('/')) throw new TypeError(`path must begin with a slash, not ${JSON.stringify(path)}`);
  if (!(checkEveryMs > 0)) throw new RangeError(`checkEveryMs must be more than 0, not ${checkEveryMs}`);
  const base = path.replace(/\/+$/, '');

  async function answer(route: CallsRoute | StreamRoute, asked: Asked, requestId: string): Promise<Response> {
    if (asked.method !== 'GET' && (asked.method !== 'POST' || route.kind === 'stream'))
      throw new Refused('method_not_allowed');
    const access = await asked.access();
    if (access === undefined) throw new Refused('front_signed_out');
    const askService = await serviceFor(options, onFault, asked, requestId);
    return route.kind === 'calls'
      ? passCalls(route, asked, access, askService, requestId)
      : passStream(route.query, asked, access, askService, {
          checkEveryMs: Math.min(checkEveryMs, longestTimerMs),
          onFault,
          requestId,
        });
  }

  return async (asked) => {
    const route = routeOf(asked.target, base);
    if (route === 'outside') return undefined;
    const requestId = requestIdOf(asked.header('x-request-id'));
    if (route === 'unknown') return refusal('unknown_path', undefined, requestId);
    try {
      return await answer(route, asked, requestId);
    } catch (error) {
      if (error instanceof Refused) return refusal(error.reason, route, requestId);
      onFault(error instanceof Error ? error : new Error(String(error)));
      return refusal('internal', route, requestId);
    }
  };
}

/** Timers take no more. */
const longestTimerMs = 2 ** 31 - 1;

/** Refuses in the shape that the client reads there: each call of a batch by itself. */
export function refusal(
  reason: FrontRefusal,
  route: CallsRoute | StreamRoute | undefined,
  requestId: string,
): Response {
  if (route?.kind !== 'calls') return refused(reason, requestId, restRefusal(reason, requestId));
  const refusal = callRefusal(reason, requestId);
  return refused(reason, requestId, route.isBatch ? route.names.map(() => refusal) : refusal);
}

/** The browser's own when it is well formed, as the service takes it. */
function requestIdOf(given: string | undefined): string {
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : crypto.randomUUID();
}
