import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Writable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip, gzipSync } from 'node:zlib';
import { encodingFor } from '../call/encoding.ts';

// Its savings and costs: docs/bench/compression.md.
const level = 1;
/** Below it the way saved is shorter than the time taken, at 100 Mbit/s. In characters. */
const worthwhile = 2_048;
/** The size that is packed in about a tenth of a millisecond. In characters. */
const short = 32_768;

/** Whether the caller would rather have gzip. */
export const asksForGzip = ({ headers }: IncomingMessage): boolean =>
  encodingFor(headers['accept-encoding'], ['gzip']) === 'gzip';

/** Whether a text of that length is packed for the caller. */
export const isPacked = (request: IncomingMessage, length: number): boolean =>
  length >= worthwhile && asksForGzip(request);

/** Packs a whole text: at once where that takes less than handing it to another thread, there where others would wait. */
export const pack = (text: string | Uint8Array): Buffer | Promise<Buffer> =>
  text.length < short ? gzipSync(text, { level }) : gzipped(text, { level });

const gzipped = promisify<string | Uint8Array, { level: number }, Buffer>(gzip);

/**
 * Where to write a stream that reaches the caller packed: each piece at once, and no faster than the caller takes them.
 * When either ends before its time, so does the other.
 */
export function packedInto(response: ServerResponse): Writable {
  const packer = createGzip({ level, flush: constants.Z_SYNC_FLUSH });
  pipeline(packer, response, () => {});
  return packer;
}

/**
 * Packs for the caller what others write to an answer in one piece and then end, as tRPC does. A stream goes as it is
 * written.
 */
export function packWhole(request: IncomingMessage, response: ServerResponse): void {
  if (!asksForGzip(request)) return;
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const pieces: Uint8Array[] = [];
  response.write = (piece: Uint8Array) => {
    if (isStream(response)) return write(piece);
    pieces.push(piece);
    return true;
  };
  response.end = (text?: unknown) => {
    const whole = Buffer.concat(pieces);
    if (text !== undefined || pieces.length === 0) return end(text);
    if (whole.length < worthwhile) return end(whole);
    response.setHeader('Content-Encoding', 'gzip');
    Promise.resolve(pack(whole)).then(end, (error: Error) => response.destroy(error));
    return response;
  };
}

// Batches that are sent line by line have the first; subscriptions the second.
const isStream = (response: ServerResponse): boolean =>
  response.hasHeader('Transfer-Encoding') ||
  String(response.getHeader('Content-Type')).startsWith('text/event-stream');
