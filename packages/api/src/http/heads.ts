import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

/**
 * Checks the head of a request before any entrance reads it, and brings an absolute target into origin form. Node's parser
 * accepts more than RFC 9110 and RFC 9112 do. Returns the refusal, if there is one:
 * - 431: more than `mostHeaders` headers
 * - 400: a repeated `Authorization`, `Content-Type`, `Host` or `Idempotency-Key`; a `Host` that is invalid or, in HTTP/1.1,
 *   missing; an absolute target with an invalid authority
 * - 505: a version of HTTP other than 1.0 and 1.1
 * - 501: a transfer coding other than `chunked`
 * - 417: an expectation other than `100-continue`
 */
export function refusalOfHead(request: IncomingMessage, mostHeaders: number): ApiError | undefined {
  const { rawHeaders, headers, httpVersion } = request;
  if (rawHeaders.length > 2 * mostHeaders)
    return new ApiError('headers_too_large', 'The request has too many headers.');
  if (!httpVersion.startsWith('1.'))
    return new ApiError('unknown_http_version', 'The request must be of HTTP/1.1 or HTTP/1.0.', {
      headers: { Connection: 'close' },
    });
  const repeated = repeatedName(rawHeaders);
  if (repeated !== undefined) return unreadable(`The header ${repeated} must be given once.`);
  if (headers.host === undefined && httpVersion === '1.1') return unreadable('The request has no Host.');
  if (headers.host !== undefined && !isHost(headers.host)) return unreadable('The Host is not valid.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding();
  if (headers.expect !== undefined && httpVersion === '1.1' && !isContinue(headers.expect))
    return new ApiError('expectation_failed', 'No expectation but 100-continue is met.');
  return request.url?.startsWith('/') ? undefined : useOriginForm(request);
}

/** The refusal of a transfer coding other than `chunked`. It closes the connection: the body cannot be read. */
export const unknownCoding = (): ApiError =>
  new ApiError('unknown_transfer_coding', 'The body must come as it is, or chunked.', {
    headers: { Connection: 'close' },
  });

const unreadable = (message: string) => new ApiError('unreadable_request', message);

// Found by their lengths, which differ: every header of every request is compared.
const singleByLength: readonly string[] = Object.assign(
  [],
  ...['host', 'content-type', 'authorization', 'idempotency-key'].map((name) => ({ [name.length]: name })),
);

function repeatedName(rawHeaders: readonly string[]): string | undefined {
  // One bit for each length.
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const single = singleByLength[name.length];
    if (single === undefined || name.toLowerCase() !== single) continue;
    if (seen & (1 << name.length)) return name;
    seen |= 1 << name.length;
  }
  return undefined;
}

// No character that ends the authority of a URL; the rest is read as clients read it.
const isHost = (text: string): boolean =>
  /^[\w.~!$&'()*+,;=%:[\]-]+$/.test(text) && URL.canParse(`http://${text}`);

const isContinue = (expect: string): boolean =>
  expect.split(',').every((each) => each.trim().toLowerCase() === '100-continue');

// RFC 9112, 3.2.2: the authority of an absolute target replaces Host.
function useOriginForm(request: IncomingMessage): ApiError | undefined {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? [];
  if (authority === undefined) return undefined;
  if (!isHost(authority)) return unreadable('The authority of the target is not valid.');
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}
