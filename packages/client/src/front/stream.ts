import { createCutter } from './blocks.ts';
import { headersToBrowser } from './headers.ts';
import { typesFor } from './inputs.ts';
import type { Asked, FrontAccess } from './options.ts';
import { Refused, restRefusal } from './refusals.ts';
import { rest } from './rest.ts';
import type { AskService } from './service.ts';

/** How a stream is looked after. */
export interface StreamCare {
  checkEveryMs: number;
  onFault(error: Error): void;
  requestId: string;
}

/**
 * Passes the live stream on, with the types of events that the session may follow, until the browser leaves or the session
 * ends. Throws `Refused` where no type is left.
 */
export async function passStream(
  query: URLSearchParams,
  asked: Asked,
  access: FrontAccess,
  askService: AskService,
  care: StreamCare,
): Promise<Response> {
  const wanted = query.getAll('types').flatMap((types) => types.split(','));
  const types = typesFor(wanted, access);
  if (types.length === 0) throw new Refused('front_not_allowed');
  const sent = new URLSearchParams(query);
  sent.set('types', types.join(','));
  const ending = new AbortController();
  const leave = () => ending.abort();
  asked.gone.addEventListener('abort', leave, { signal: ending.signal });
  if (asked.gone.aborted) leave();
  const answer = await askService(`v2/events/stream?${sent}`, { method: 'GET', signal: ending.signal });
  const headers = headersToBrowser(answer.headers);
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (!answer.ok || !isStream || answer.body === null)
    return new Response(answer.body, { status: answer.status, headers });
  const isStill = (now: FrontAccess | undefined) =>
    now !== undefined && typesFor(wanted, now).join() === types.join();
  const look = { asked, access, isStill, care };
  return new Response(watched(answer.body, look, ending), { headers });
}

/** Closes the stream, after these last words. */
type End = (last?: string) => void;

interface Look {
  asked: Asked;
  access: FrontAccess;
  /** Whether the session may go on with what it follows. */
  isStill(now: FrontAccess | undefined): boolean;
  care: StreamCare;
}

/** The events of `body`, until the session ends, or has another access. */
function watched(
  body: ReadableStream<Uint8Array>,
  look: Look,
  ending: AbortController,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cut = createCutter();
  let isOpen = true;
  let end: End = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      end = (last) => {
        if (!isOpen) return;
        isOpen = false;
        if (last !== undefined) controller.enqueue(new TextEncoder().encode(last));
        controller.close();
        ending.abort();
      };
      void guard(look, ending.signal, end);
    },
    async pull(controller) {
      while (isOpen) {
        const piece = await reader.read().catch(() => undefined);
        // The service has ended it, the connection broke, or the browser left.
        if (piece?.value === undefined) return end();
        const blocks = cut(piece.value);
        if (!isOpen || blocks.length === 0) continue;
        controller.enqueue(blocks);
        return;
      }
    },
    cancel() {
      isOpen = false;
      ending.abort();
    },
  });
}

/** Asks again and again what the session may do, and ends its stream when that is no longer what it follows. */
async function guard(
  { asked, access, isStill, care: { checkEveryMs, onFault, requestId } }: Look,
  over: AbortSignal,
  end: End,
): Promise<void> {
  let current: FrontAccess | undefined = access;
  while (!over.aborted) {
    const turn = new AbortController();
    const wake = () => turn.abort();
    for (const signal of [over, current?.signal])
      signal?.addEventListener('abort', wake, { signal: turn.signal });
    if (over.aborted || current?.signal?.aborted) wake();
    await rest(checkEveryMs, turn.signal);
    wake();
    if (over.aborted) return;
    const isOut: boolean = current?.signal?.aborted === true;
    try {
      current = isOut ? undefined : await asked.access();
    } catch (error) {
      onFault(error instanceof Error ? error : new Error(String(error)));
      // It comes again, and is refused then if need be.
      end();
      return;
    }
    if (current === undefined) end(farewell(requestId));
    else if (!isStill(current)) end();
  }
}

/** The last event of a stream whose session has ended. */
const farewell = (requestId: string): string =>
  `event: error\ndata: ${JSON.stringify(restRefusal('front_signed_out', requestId))}\n\n`;
