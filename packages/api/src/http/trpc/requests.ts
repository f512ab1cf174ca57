import type { IncomingMessage, ServerResponse } from 'node:http';
import { traceparentOf } from '@comanda/db';
import { uncodedTags } from '../../call/conditional.ts';
import type { App, RequestContext } from '../../call/context.ts';
import { simulateOf } from '../../call/simulation.ts';
import { prefersStrict } from '../../call/unknown-fields.ts';
import { ResponseCaller, replyOf } from '../reply.ts';

/** Whether a request asks tRPC for an answer in lines. Those are refused: their values wait until the last is there. */
export const asksForLines = ({ headers }: IncomingMessage): boolean =>
  [headers['trpc-accept'], headers.accept].some((accept) => accept?.includes('application/jsonl'));

/** The context of a request of tRPC. */
export const contextOf = (
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): RequestContext => ({
  app,
  requestId,
  traceparent: traceparentOf(request.headers.traceparent),
  startedAt: performance.now(),
  apiVersion: 'v2',
  authorization: request.headers.authorization,
  clientAddress: app.clientAddress(request),
  ifMatch: uncodedTags(request.headers['if-match']),
  simulate: simulateOf(request.headers),
  reply: replyOf(response),
  left: new ResponseCaller(response),
  cut: () => response.destroy(),
  ...(prefersStrict(request)
    ? { refusesUnknown: true, headers: { 'Preference-Applied': 'handling=strict' } }
    : { headers: {} }),
});
