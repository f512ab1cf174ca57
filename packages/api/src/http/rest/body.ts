import type { IncomingMessage } from 'node:http';
import { ApiError, invalid } from '../../errors.ts';
import { askForBody } from '../continue.ts';

/** The largest body, in bytes: of an ordinary request, and of a batch. */
export const bodyLimits = { ordinary: 1024 * 1024, batch: 8 * 1024 * 1024 } as const;

/**
 * Reads a JSON object from the request; a missing or empty body reads as `{}`. Throws 413 over `limit` bytes,
 * 415 for a body that is not `application/json` in UTF-8, 400 for JSON that cannot be read, `validation_error`
 * for JSON that is not an object. Specification: Errors; contract: every response.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Record<string, unknown>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const hasBody = declared > 0 || request.headers['transfer-encoding'] !== undefined;
  if (hasBody && !isJson(request.headers['content-type']))
    throw unsupported('The body must be application/json.');
  const encoding = request.headers['content-encoding'];
  if (hasBody && encoding !== undefined && encoding !== 'identity') {
    throw unsupported(`The body must not be encoded (${encoding.slice(0, 40)}).`);
  }
  if (hasBody) askForBody(request);
  const bytes = hasBody ? await collect(request, limit) : undefined;
  if (bytes === undefined || bytes.length === 0) return {};
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid({ path: '', message: 'The body must be a JSON object.' });
  }
  return value as Record<string, unknown>;
}

const tooLarge = (limit: number) => new ApiError('body_too_large', `The body has more than ${limit} bytes.`);

const unsupported = (message: string) => new ApiError('unsupported_media_type', message);

/** Whether a `Content-Type` is `application/json` in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((part) => part.startsWith('charset='));
  return type === 'application/json' && charsets.every((each) => /^charset="?utf-?8"?$/.test(each));
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Every request closes: an error is only made of what came before its end.
    const endedEarly = () => {
      if (!request.readableEnded) reject(new ApiError('unreadable_body', 'The body ended early.'));
    };
    // Who hung up meanwhile is not heard of again.
    if (request.destroyed) endedEarly();
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.removeAllListeners('data');
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', endedEarly);
    request.on('close', endedEarly);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const found = error instanceof SyntaxError ? 'malformed JSON' : 'invalid UTF-8';
    throw new ApiError('unreadable_body', `The body cannot be read: ${found}.`);
  }
}
