import type { TRPCError } from '@trpc/server';

/** The error codes of the specification, with the HTTP status and the tRPC code each leaves with by default. */
export const errorCodes = {
  invalid_request: {
    status: 400,
    trpc: 'BAD_REQUEST',
    meaning: 'the request cannot be read; also 405, 408, 412, 413, 415, 417, 428, 431, 501',
  },
  unauthorized: {
    status: 401,
    trpc: 'UNAUTHORIZED',
    meaning: 'missing, malformed, unknown, expired or revoked key',
  },
  permission_denied: { status: 403, trpc: 'FORBIDDEN', meaning: 'the key lacks the permission' },
  resource_not_found: {
    status: 404,
    trpc: 'NOT_FOUND',
    meaning: 'no such path or resource at this location',
  },
  conflict: { status: 409, trpc: 'CONFLICT', meaning: 'the request contradicts the current state' },
  validation_error: {
    status: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    meaning: 'body, query or required header fails validation; the message names each field',
  },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS', meaning: 'a limit is used up; see Retry-After' },
  internal_error: {
    status: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    meaning: 'a fault of the service; 503 with Retry-After: not available now',
  },
} as const satisfies Record<string, { status: number; trpc: TRPCError['code']; meaning: string }>;

/** An error code of the specification. */
export type ErrorCode = keyof typeof errorCodes;
