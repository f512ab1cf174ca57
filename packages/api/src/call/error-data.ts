import { z } from 'zod';
import type { ApiError } from '../errors.ts';
import { ErrorCode, ErrorReason } from '../wire.ts';

/** `data` of an error in the typed client. */
export const ErrorData = z
  .object({
    code: ErrorCode,
    httpStatus: z.int().meta({ description: 'The status that REST answers with for the same refusal.' }),
    requestId: z
      .string()
      .meta({ description: 'Names the request in the logs: give it when you ask for help.' }),
    reason: ErrorReason,
    fields: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .meta({ description: 'The failing fields, ten at most.' }),
    resourceId: z
      .string()
      .exactOptional()
      .meta({ description: 'The resource that has what was asked for, such as an external_id.' }),
    retryAfterSeconds: z.int().exactOptional().meta({ description: 'How long to wait before repeating it.' }),
    etag: z
      .string()
      .exactOptional()
      .meta({ description: 'Of `changed_since`: the tag that the resource has.' }),
    since: z
      .string()
      .exactOptional()
      .meta({ description: 'Of `cursor_not_restored`: the moment to restart from.' }),
  })
  .meta({ id: 'ErrorData', description: 'The data of an error in addition to its message.' });
export type ErrorData = z.infer<typeof ErrorData>;

/** The error as the typed client gets it. */
export function errorData(error: ApiError, requestId: string): ErrorData {
  const { errorCode, status, reason, fields, other, headers, since } = error;
  const wait = headers['Retry-After'];
  const etag = headers.ETag;
  return {
    code: errorCode,
    httpStatus: status,
    requestId,
    reason,
    fields: fields.map(({ path, message }) => ({ path, message })),
    ...(other !== undefined && { resourceId: other.id }),
    ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
    ...(etag !== undefined && { etag }),
    ...(since !== undefined && { since: since.toISOString() }),
  };
}
