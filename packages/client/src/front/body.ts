import { Refused } from './refusals.ts';

/** The service takes no more of any operation. */
const largestBody = 8 * 1024 * 1024;

/** A body as text, in UTF-8. Throws `Refused` where it is too large. */
export async function textOf(
  body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of piecesOf(body)) {
    bytes += piece.length;
    if (bytes > largestBody) throw new Refused('body_too_large');
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

// Not every runtime can loop over its streams.
async function* piecesOf(
  body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  if (!('getReader' in body)) return yield* body;
  const reader = body.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    if (value !== undefined) yield value;
}
