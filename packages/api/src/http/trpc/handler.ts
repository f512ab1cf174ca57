import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import { largeFrom } from '../../bodies/bounds.ts';
import type { Input } from '../../bodies/input.ts';
import { joined } from '../../bodies/pieces.ts';
import { readJson } from '../../bodies/read.ts';
import type { App, RequestContext } from '../../call/context.ts';
import { requestIdOf } from '../../call/request-id.ts';
import { asksForGzip, isPacked, pack, packedInto } from '../packing.ts';
import { commonHeaders, headerList, outsideHeap, sendJson, sendRefusal } from '../rest/answer.ts';
import { isJson, receiveBody, receiveCallBody } from '../rest/body.ts';
import { taken } from '../rest/stream.ts';
import {
  answerCalls,
  type Calls,
  type CallsAnswer,
  callsOf,
  inputAt,
  readInUrl,
  targetsOf,
} from './calls.ts';
import { asksForLines, contextOf } from './requests.ts';

/**
 * The entrance of the typed client: every query and every mutation, alone or in a batch. Returns `false` for any other request,
 * and leaves it to tRPC's own adapter, which makes a Request, a Response and their streams for each, and parses and
 * writes every answer anew.
 */
export function trpcHandler(
  app: App,
  router: AnyRouter,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const targets = targetsOf(router);
  return (request, response) => {
    const { method, url = '', headers } = request;
    const calls = callsOf(targets, method, url);
    if (calls === undefined || asksForLines(request)) return false;
    if (method === 'POST' && !isJson(headers['content-type'])) return false;
    void answer(app, request, response, calls);
    return true;
  };
}

async function answer(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  calls: Calls,
): Promise<void> {
  const { isBatch, targets, inputText } = calls;
  const ctx = contextOf(app, request, response, requestIdOf(request.headers['x-request-id']));
  const isPosted = request.method === 'POST';
  let inputs: Promise<Input> | undefined;
  // Each batch holds its answers until the last is there, so a location has few of them under way.
  let entered: Promise<() => void> | undefined;
  const answered = await answerCalls(ctx, calls, async (index, target, caller) => {
    if (targets.length > 1 && caller !== undefined) {
      entered ??= app.capacity.callBatches.wait(caller.locationId);
      await entered;
    }
    if (isPosted && !isBatch && caller !== undefined && 'kind' in target)
      return receiveCallBody(request, response, app.capacity, caller, target.meta);
    inputs ??= isPosted ? readPosted(request, response) : readInUrl(inputText, isBatch);
    return inputAt(await inputs, index, isBatch);
  });
  void entered?.then(
    (leave) => leave(),
    () => {},
  );
  await send(request, response, ctx, answered, isPosted && !isBatch);
}

/** Reads a body with inputs. It may not be a large one: all of its calls are answered with one text. */
const readPosted = async (request: IncomingMessage, response: ServerResponse): Promise<Input> =>
  readJson(joined(await receiveBody(request, response, largeFrom)), { kind: 'ordinary', isStrict: false });

/** The headers that tRPC's adapter sends. */
const adapterHeaders = { 'Content-Type': 'application/json', Vary: 'trpc-accept, accept, accept-encoding' };

/** Sends an answer: in one where it is small, and else no faster than the caller takes it. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, headers: own }: RequestContext,
  { status, pieces, headers: refused }: CallsAnswer,
  isLonePost: boolean,
): Promise<void> {
  const headers: Record<string, string> = { ...own, ...refused, ...(isLonePost ? {} : adapterHeaders) };
  const waiting = pieces.map(outsideHeap);
  if (isLonePost || waiting.every((piece) => typeof piece === 'string')) {
    const text = pieces.join('');
    const packed = !isLonePost && isPacked(request, text.length) ? await pack(text) : undefined;
    if (packed !== undefined) headers['Content-Encoding'] = 'gzip';
    if (status >= 400 && packed === undefined)
      sendRefusal(request, response, status, text, requestId, headers);
    else sendJson(request, response, status, packed ?? text, requestId, headers);
    return;
  }
  const packs = asksForGzip(request);
  const list = headerList(commonHeaders, requestId, headers);
  if (packs) list.push('Content-Encoding', 'gzip');
  else list.push('Content-Length', String(waiting.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)));
  response.writeHead(status, list);
  const sink = packs ? packedInto(response) : response;
  for (const piece of waiting) await taken(response, sink, piece);
  sink.end();
}
