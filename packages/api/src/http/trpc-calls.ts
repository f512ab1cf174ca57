import type { IncomingMessage, ServerResponse } from 'node:http';
import { callTRPCProcedure } from '@trpc/server';
import { toApiError } from '../errors.ts';
import { JsonText } from '../request/answer.ts';
import type { App, RequestContext } from '../request/context.ts';
import { operationsOf } from '../request/operations.ts';
import { requestIdOf } from '../request/request-id.ts';
import type { AppRouter } from '../router.ts';
import { asksForGzip, isPacked, pack, packedInto } from './packing.ts';
import { commonHeaders, headerList, outsideHeap, sendJson } from './rest/answer.ts';
import { isJson } from './rest/body.ts';
import { taken } from './rest/stream.ts';
import { inputsOf, readInUrl } from './trpc-inputs.ts';
import {
  asksForLines,
  batchOf,
  contextOf,
  finishRefused,
  largestBatch,
  readPosted,
  refusalText,
} from './trpc-requests.ts';

type Kind = 'query' | 'mutation';

/** A call of a request, by its index among them. */
interface Call {
  path: string;
  kind: Kind;
}

/**
 * Responds to requests of several calls, and to queries in the URL: every query of the typed client. Returns `false` for
 * any other request, and leaves it: tRPC's adapter keeps the value of each answer until the last is there, and writes all
 * of them in one stop of the event loop.
 */
export function manyCalls(
  app: App,
  router: AppRouter,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const kinds = new Map(operationsOf(router).map(({ name, kind }) => [name, kind]));

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    calls: readonly Call[],
    isBatch: boolean,
  ): Promise<void> {
    const batch = isBatch ? batchOf(app, calls.length) : undefined;
    const ctx: RequestContext = {
      ...contextOf(app, request, response, requestIdOf(request.headers['x-request-id'])),
      inputOf: inputsOf(
        () => (request.method === 'POST' ? readPosted(request, response) : readInUrl(url, isBatch)),
        isBatch,
      ),
      asText: true,
      ...batch?.turns,
    };
    const pieces: Piece[] = [isBatch ? '[' : ''];
    const statuses = new Set<number>();
    const refusedWith: Record<string, string> = {};
    for (const [batchIndex, { path, kind }] of calls.entries()) {
      if (batchIndex > 0) pieces.push(',');
      try {
        const getRawInput = async () => undefined;
        const call = { router, path, getRawInput, ctx, type: kind, signal: undefined, batchIndex };
        const data: unknown = await callTRPCProcedure(call);
        const text = data instanceof JsonText ? data.text : JSON.stringify(data);
        pieces.push('{"result":{"data":', outsideHeap(text), '}}');
        statuses.add(200);
      } catch (error) {
        finishRefused(app, ctx, kind, path, error);
        const refusal = toApiError(error);
        pieces.push(refusalText(refusal, ctx.requestId));
        Object.assign(refusedWith, refusal.headers);
        statuses.add(refusal.status);
      }
    }
    batch?.end();
    if (isBatch) pieces.push(']');
    const [status = 200] = statuses;
    const headers = { ...ctx.headers, ...refusedWith, ...adapterHeaders };
    await send(request, response, statuses.size > 1 ? 207 : status, pieces, ctx.requestId, headers);
  }

  return (request, response) => {
    const asked = askedBy(request);
    if (asked === undefined) return false;
    const { url, isBatch } = asked;
    const paths = url.pathname.slice('/trpc/'.length).split(isBatch ? ',' : '\n');
    const calls = paths.flatMap((path) => {
      const kind = kinds.get(path);
      return kind === undefined || (request.method === 'GET' && kind !== 'query') ? [] : [{ path, kind }];
    });
    const isAlike = calls.every(({ kind }) => kind === calls[0]?.kind);
    if (calls.length < paths.length || calls.length > largestBatch || !isAlike) return false;
    void answer(request, response, url, calls, isBatch);
    return true;
  };
}

/** The headers that tRPC's adapter sends. */
const adapterHeaders = { 'Content-Type': 'application/json', Vary: 'trpc-accept, accept, accept-encoding' };

/** The URL of a request that is answered here: not one whose answer is a stream, nor one that tRPC refuses. */
function askedBy(request: IncomingMessage): { url: URL; isBatch: boolean } | undefined {
  const { method, url = '', headers } = request;
  if (!url.startsWith('/trpc/') || (method !== 'GET' && method !== 'POST')) return undefined;
  if (asksForLines(request)) return undefined;
  if (!URL.canParse(url, 'http://localhost')) return undefined;
  const asked = new URL(url, 'http://localhost');
  if (asked.searchParams.has('connectionParams')) return undefined;
  const isBatch = asked.searchParams.get('batch') === '1';
  if (method === 'POST' && (!isBatch || !isJson(headers['content-type']))) return undefined;
  return { url: asked, isBatch };
}

type Piece = string | Buffer;

/** Sends pieces, in one where they are small, and else no faster than the caller takes them. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  pieces: readonly Piece[],
  requestId: string,
  headers: Record<string, string>,
): Promise<void> {
  if (pieces.every((piece) => typeof piece === 'string')) {
    const text = pieces.join('');
    const packed = isPacked(request, text.length) ? await pack(text) : undefined;
    if (packed !== undefined) headers['Content-Encoding'] = 'gzip';
    sendJson(request, response, status, packed ?? text, requestId, headers);
    return;
  }
  const packs = asksForGzip(request);
  const list = headerList(commonHeaders, requestId, headers);
  if (packs) list.push('Content-Encoding', 'gzip');
  else list.push('Content-Length', String(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)));
  response.writeHead(status, list);
  const sink = packs ? packedInto(response) : response;
  for (const piece of pieces) await taken(response, sink, piece);
  sink.end();
}
