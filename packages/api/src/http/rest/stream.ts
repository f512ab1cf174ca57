import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { exporting } from '@comanda/db';
import type { z } from 'zod';
import { type ListStream, piecesOf } from '../../call/answer.ts';
import { asksForGzip, packedInto } from '../packing.ts';
import { commonHeaders, headerList } from './answer.ts';

/**
 * Sends an answer as it is made and its family shows it, packed if the client accepts it, no faster than the caller
 * takes it, chunked and without a Content-Length. Resolves when all is sent, or when the caller is gone. Throws what
 * the stream throws: before the first piece nothing is sent yet, and the refusal is an ordinary one; later the
 * connection has to be cut, so that no client takes a part for all. The caller closes the stream.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  answer: { stream: ListStream; output: z.ZodType },
  requestId: string,
  headers: Record<string, string>,
): Promise<void> {
  const pieces = piecesOf(answer.stream, answer.output);
  let piece = (await pieces.next()).value;
  const packs = asksForGzip(request);
  if (packs) headers['Content-Encoding'] = 'gzip';
  response.writeHead(status, headerList(commonHeaders, requestId, headers));
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const sink = packs ? packedInto(response) : response;
  let before = '{"data":';
  while (piece !== undefined) {
    await taken(response, sink, before + piece);
    if (isGone(response)) return;
    before = '';
    piece = (await pieces.next()).value;
  }
  sink.end('}');
}

const isGone = (response: ServerResponse): boolean => response.destroyed || response.closed;

/** Settles once the text is on its way and there is room for more, or the connection is gone. */
export function taken(response: ServerResponse, sink: Writable, text: string | Buffer): Promise<void> {
  if (isGone(response) || sink.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), exporting.stalledMs);
    const done = () => {
      clearTimeout(timer);
      sink.off('drain', done);
      response.off('close', done);
      resolve();
    };
    sink.on('drain', done);
    response.on('close', done);
  });
}
