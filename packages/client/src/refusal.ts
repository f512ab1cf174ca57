import { TRPCClientError } from '@trpc/client';
import { isErrorData } from './errors.ts';
import type { AppRouter } from './surface.ts';
import { type Answer, jsonOf, StrangeAnswer } from './transport.ts';

/**
 * The refusal of an answer, as a call throws it; that something else answered where it is no refusal of the service.
 */
export function refusalOf(json: unknown, asked: Answer): TRPCClientError<AppRouter> {
  const { error } = (json ?? {}) as { error?: { data?: unknown } | null };
  if (isErrorData(error?.data)) return TRPCClientError.from(json as Error);
  return TRPCClientError.from(refusedByRest(error, asked) ?? new StrangeAnswer(asked.href, asked.answer));
}

/** The same of an answer's text. */
export function refusalIn(text: string, asked: Answer): TRPCClientError<AppRouter> {
  try {
    return refusalOf(jsonOf(text, asked), asked);
  } catch (error) {
    return TRPCClientError.from(error as Error);
  }
}

// REST has the fields in its message alone: `types[0]: is unknown; after: is no event`.
function fieldsIn(code: unknown, message: unknown): { path: string; message: string }[] {
  if (code !== 'validation_error') return [];
  return String(message)
    .split(/; (?=[\w.[\]]+: )/)
    .flatMap((text) => {
      const [, path, words] = /^([\w.[\]]+): (.*)$/s.exec(text) ?? [];
      return path === undefined || words === undefined ? [] : [{ path, message: words }];
    });
}

// Refusals of streams have the form of REST, and so do those before the request is known to be a call, such as for too large headers.
function refusedByRest(error: unknown, { answer: { status, headers } }: Answer): Error | undefined {
  const { code, message, request_id: requestId } = (error ?? {}) as Record<string, unknown>;
  const wait = headers.get('retry-after');
  const since = headers.get('x-error-since');
  const data = {
    code,
    httpStatus: status,
    requestId,
    reason: headers.get('x-error-reason'),
    fields: fieldsIn(code, message),
    ...(wait !== null && { retryAfterSeconds: Number(wait) }),
    ...(since !== null && { since }),
  };
  // Where the path of a call is unknown the base URL is wrong; as a 404 it would look like an order that is not there.
  return isErrorData(data) && data.reason !== 'unknown_path'
    ? ({ error: { code: -32_600, message: String(message), data } } as object as Error)
    : undefined;
}
