import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TextStream } from '../../request/answer.ts';
import { commonHeaders, headerList } from './answer.ts';

/** How long a caller may leave a piece untaken before the connection is given up. */
const stalledMs = 60_000;

/**
 * Sends an answer as it is made, no faster than the caller takes it, chunked and without a Content-Length. Resolves
 * when all is sent, or when the caller is gone. Throws what the stream throws: before the first piece nothing is sent
 * yet, and the refusal is an ordinary one; later the connection has to be cut, so that nobody takes a part for all.
 * The caller closes the stream.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  stream: TextStream,
  requestId: string,
  headers: Record<string, string>,
): Promise<void> {
  let piece = await stream.next();
  response.writeHead(status, headerList(commonHeaders, requestId, headers));
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  let before = '{"data":';
  while (piece !== undefined) {
    await taken(response, before + piece);
    if (isGone(response)) return;
    before = '';
    piece = await stream.next();
  }
  response.end('}');
}

const isGone = (response: ServerResponse): boolean => response.destroyed || response.closed;

/** Settles once the text is on its way and there is room for more, or the connection is gone. */
function taken(response: ServerResponse, text: string): Promise<void> {
  if (isGone(response) || response.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stalledMs);
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
