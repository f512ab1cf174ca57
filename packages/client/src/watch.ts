import { TRPCClientError } from '@trpc/client';
import { rethrow, siteOf } from './call-site.ts';
import { comandaError } from './errors.ts';
import type { EventType } from './events.ts';
import { asCallerError, waitAfter } from './failure.ts';
import type { Service } from './http-link.ts';
import type { EventOf } from './operations.ts';
import { pause } from './pause.ts';
import { refusalIn } from './refusal.ts';
import { onReturn } from './returned.ts';
import { createParser, type Sent } from './sse.ts';
import type { PublishedEvent } from './surface.ts';
import { NoConnection, StrangeAnswer } from './transport.ts';

/** From where on to watch, and what. */
export interface WatchInput<Type extends EventType = EventType> {
  /** The cursor that was kept: the `id` of the last event that was done. Without it, or as `latest`, from now on. */
  after?: string | undefined;
  /** Only events of these types; without it all that the key sees. */
  types?: readonly Type[] | undefined;
}

/** How to watch. */
export interface WatchOptions {
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
  /** Called with its state, for a screen that shows whether it is live. */
  onState?: ((state: WatchState) => void) | undefined;
  /** After so long without a word a connection counts as lost; 40,000 unless given. The service says one every 15 s. */
  silentMs?: number | undefined;
}

/** The state of a stream of events. */
export type WatchState =
  | { status: 'connecting' }
  /** The next events are behind `cursor`: a list that is read from now on holds everything up to it. */
  | { status: 'live'; cursor: string }
  | {
      status: 'waiting';
      /**
       * `unreachable`: no connection, or it broke. `silent`: nothing came for too long. `ended`: the service closed the
       * stream, as a process does that stops. `busy`: too many streams or requests (429). `unavailable`: the service or a
       * proxy before it cannot answer now. `strange`: something else answered.
       */
      reason: 'unreachable' | 'silent' | 'ended' | 'busy' | 'unavailable' | 'strange';
      retryInMs: number;
    };

/** The methods of a client's events in addition to their calls. */
export interface LiveEvents {
  /**
   * The events of the location as they are published, for ever: over outages, restarts and changes of network it goes on
   * behind the last one that it gave, so none is missed and none comes twice. An event's `id` is its cursor. In a browser
   * it comes back as soon as the browser is online, or has thawed the page. `signal` ends the loop.
   *
   * It throws what no repeat helps: a key that is revoked, or lacks `events:read` or the permission of one of the `types` (`httpStatus` 401, 403), and a cursor
   * that the service no longer keeps (`reason` `unknown_cursor`): read your lists again, and watch without `after`.
   *
   * @example
   * for await (const event of comanda.events.watch({ after: await loadCursor(), types: ['order.created'] })) {
   *   await printTicket(event.data);
   *   await saveCursor(event.id);
   * }
   */
  watch<const Type extends EventType = EventType>(
    input?: WatchInput<Type>,
    options?: WatchOptions,
  ): AsyncGenerator<EventOf<Type>, void, undefined>;
}

/** Makes `events.watch` of a client. @internal */
export function createWatch(service: Service): LiveEvents['watch'] {
  return function watch<const Type extends EventType>(input: WatchInput<Type> = {}, options = {}) {
    return watching(service, input, options, siteOf(watch)) as AsyncGenerator<EventOf<Type>, void, undefined>;
  };
}

/** How long to wait at first, until the service has said so, and at most. */
const usualRetryMs = 1_000;
const longestWaitMs = 30_000;

async function* watching(
  service: Service,
  { after, types }: WatchInput,
  { signal, onState = () => {}, silentMs = 40_000 }: WatchOptions,
  site: Error,
): AsyncGenerator<PublishedEvent, void, undefined> {
  let cursor = after ?? 'latest';
  let retryMs = usualRetryMs;
  let lost = 0;
  let wasLive = false;
  let silent = false;
  // By the wall clock: no other clock runs while a device sleeps.
  let heardAt = Date.now();
  // The present wait ends when the loop does, and when the browser is back.
  let current = new AbortController();
  const begin = () => {
    current = new AbortController();
    if (signal?.aborted) current.abort();
    return current.signal;
  };
  const end = () => current.abort();
  const forget = onReturn(end, () => Date.now() - heardAt > silentMs / 2);
  const heard = <Word>(word: Promise<Word>): Promise<Word> => {
    const timer = setTimeout(() => {
      silent = true;
      end();
    }, silentMs);
    return word.finally(() => {
      clearTimeout(timer);
      heardAt = Date.now();
    });
  };
  signal?.addEventListener('abort', end);
  try {
    while (!signal?.aborted) {
      onState({ status: 'connecting' });
      const connection = begin();
      silent = false;
      let failure: unknown;
      try {
        const read = await heard(open(service, { after: cursor, types }, connection));
        for (let blocks = await heard(read()); blocks !== undefined; blocks = await heard(read())) {
          for (const { id, event, data, retry } of blocks) {
            if (event === 'error') break;
            if (id !== undefined) cursor = id;
            if (data !== undefined) yield JSON.parse(data) as PublishedEvent;
            if (signal?.aborted) return;
            if (retry === undefined) lost = 0;
            else {
              retryMs = Number(retry);
              wasLive = true;
              onState({ status: 'live', cursor });
            }
          }
        }
      } catch (error) {
        failure = error;
      }
      const isInterrupted = connection.aborted && !silent;
      end();
      if (isInterrupted) continue;
      if (isFinal(failure, wasLive)) throw asCallerError('events.watch', failure);
      const wait = failure === undefined ? undefined : waitAfter(failure);
      const spread = (1 + Math.random()) / 2;
      const retryInMs =
        typeof wait === 'number'
          ? wait * 1_000 + retryMs * spread
          : Math.min(retryMs * 2 ** lost, longestWaitMs) * spread;
      lost += 1;
      onState({ status: 'waiting', reason: silent ? 'silent' : reasonOf(failure), retryInMs });
      await pause(retryInMs, begin());
    }
  } catch (error) {
    rethrow(error, site);
  } finally {
    signal?.removeEventListener('abort', end);
    forget();
    end();
  }
}

/** Opens a stream; the next blocks of it, none when it has ended. Throws as a call does. */
async function open(
  { base, headers, send = fetch }: Service,
  { after, types = [] }: WatchInput & { after: string },
  signal: AbortSignal,
): Promise<() => Promise<Sent[] | undefined>> {
  const query = new URLSearchParams([
    ['after', after],
    ...types.map((type): [string, string] => ['types', type]),
  ]);
  const { href } = new URL(`v2/events/stream?${query}`, base);
  const connected = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error) => {
      throw TRPCClientError.from(new NoConnection(error));
    });
  const answer = await connected(send(href, { headers, signal }));
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (!answer.ok || !isStream || !answer.body)
    throw refusalIn(await connected(answer.text()), { href, answer });
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  const parse = createParser();
  return async () => {
    const { done, value } = await connected(reader.read());
    return done ? undefined : parse(decoder.decode(value, { stream: true }));
  };
}

/** Whether no repeat helps. A strange answer once the stream was live comes from a proxy, and will pass. */
function isFinal(failure: unknown, wasLive: boolean): boolean {
  if (failure === undefined || waitAfter(failure) !== undefined) return false;
  const refused = comandaError(failure);
  if (refused !== undefined) return refused.httpStatus < 500;
  return !wasLive || strangeStatus(failure) === undefined;
}

const strangeStatus = (failure: unknown): number | undefined => {
  const { cause } = failure as Error;
  return cause instanceof StrangeAnswer ? cause.status : undefined;
};

function reasonOf(failure: unknown): (WatchState & { status: 'waiting' })['reason'] {
  if (failure === undefined) return 'ended';
  const status = comandaError(failure)?.httpStatus ?? strangeStatus(failure);
  if (status === undefined) return 'unreachable';
  return status === 429 ? 'busy' : status >= 500 ? 'unavailable' : 'strange';
}
