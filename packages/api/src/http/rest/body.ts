import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyBytes } from '../../bodies/bounds.ts';
import { gatherPieces, noPieces, type Pieces } from '../../bodies/pieces.ts';
import type { OperationMeta } from '../../call/meta.ts';
import type { BodySlot } from '../../capacity/bytes.ts';
import type { Capacity } from '../../capacity/capacity.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { ApiError } from '../../errors.ts';
import { askForBody } from '../continue.ts';

/**
 * Receives the body of a request, at most `most` bytes, which it takes of `slot`, which gets them back when the answer is sent or
 * the connection is closed. Throws 413 for more, 415 for a body that is no JSON by its head, 400 for one that ends early,
 * 503 where the slot has no room.
 */
export async function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  most: number,
  slot?: BodySlot,
): Promise<Pieces> {
  if (slot !== undefined) response.once('close', () => slot.end());
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > most) throw tooLarge(most);
  const hasBody = declared > 0 || request.headers['transfer-encoding'] !== undefined;
  if (!hasBody) return noPieces;
  const refusal = typeRefusal(request.headers['content-type']);
  if (refusal !== undefined) throw refusal;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw unsupported(`The body must not be encoded, and its Content-Encoding is ${shown(encoding)}.`, {
      'Accept-Encoding': 'identity',
    });
  // A body that has no room is refused before it is sent. Only bytes that have arrived take room: others may
  // never come.
  slot?.ask(declared);
  askForBody(request);
  return collect(request, most, slot);
}

/** Receives the body of an admitted call, within the bounds of its operation and its location. Throws as `receiveBody` does. */
export const receiveCallBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { bodies }: Pick<Capacity, 'bodies'>,
  { locationId }: Pick<Caller, 'locationId'>,
  { batch }: Pick<OperationMeta, 'batch'>,
): Promise<Pieces> =>
  receiveBody(request, response, batch ? bodyBytes.batch : bodyBytes.ordinary, bodies.begin(locationId));

const tooLarge = (most: number) => new ApiError('body_too_large', `The body has more than ${most} bytes.`);

// RFC 9110, 15.5.16: the answer says what would have been taken.
const unsupported = (message: string, headers: Record<string, string>) =>
  new ApiError('unsupported_media_type', message, { headers });

/** Whether a `Content-Type` is `application/json` in UTF-8. */
export const isJson = (contentType: string | undefined): boolean => typeFault(contentType) === undefined;

/** The 415, which names what came, for a `Content-Type` that is not `application/json` in UTF-8. */
export function typeRefusal(contentType: string | undefined): ApiError | undefined {
  const fault = typeFault(contentType);
  if (fault === undefined) return undefined;
  return unsupported(`The body must be application/json in UTF-8, ${fault}.`, { Accept: 'application/json' });
}

/** The fault of a `Content-Type`, as the end of a sentence. */
function typeFault(contentType: string | undefined): string | undefined {
  if (contentType === 'application/json') return undefined;
  if (contentType === undefined || contentType.trim() === '') return 'and has no Content-Type';
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'application/json') return `and its Content-Type is ${shown(type)}`;
  const other = parameters.find((each) => /^charset=/i.test(each) && !/^charset="?utf-?8"?$/i.test(each));
  return other === undefined ? undefined : `and its Content-Type says ${shown(other)}`;
}

/** A text of the caller, at a length for a sentence. */
const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function collect(request: IncomingMessage, most: number, slot: BodySlot | undefined): Promise<Pieces> {
  return new Promise((resolve, reject) => {
    // Every request closes: an error is only made of what came before its end.
    const endedEarly = () => {
      if (!request.readableEnded) reject(new ApiError('unreadable_body', 'The body ended early.'));
    };
    // A caller that hung up meanwhile is not heard of again.
    if (request.destroyed) endedEarly();
    const pieces = gatherPieces();
    let size = 0;
    const refuse = (error: unknown) => {
      request.removeAllListeners('data');
      reject(error);
    };
    request.on('data', (chunk: Buffer<ArrayBuffer>) => {
      size += chunk.length;
      if (size > most) return refuse(tooLarge(most));
      try {
        slot?.add(chunk.length);
      } catch (error) {
        return refuse(error);
      }
      pieces.add(chunk);
    });
    request.on('end', () => resolve(pieces.end()));
    request.on('error', endedEarly);
    request.on('close', endedEarly);
  });
}
