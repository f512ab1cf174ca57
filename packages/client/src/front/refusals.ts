import type { ErrorCode, ErrorReason } from '../surface.ts';

/** How a front refuses, as the service refuses: code, status, and the number of tRPC. */
export const refusals = {
  front_signed_out: row(
    'unauthorized',
    401,
    -32_001,
    'This session is not signed in, or has ended: sign in again.',
  ),
  front_not_allowed: row('permission_denied', 403, -32_003, 'This application does not allow it.'),
  front_not_set_up: row(
    'internal_error',
    500,
    -32_603,
    'The server in front of the service is not set up: its log says why.',
  ),
  internal: row(
    'internal_error',
    500,
    -32_603,
    'The server in front of the service failed: its log says why.',
  ),
  temporarily_unavailable: row(
    'internal_error',
    503,
    -32_603,
    'The service cannot be reached at the moment.',
  ),
  unreadable_request: row('invalid_request', 400, -32_600, 'The input of the calls cannot be read.'),
  method_not_allowed: row('invalid_request', 405, -32_005, 'The method is not allowed here.'),
  body_too_large: row('invalid_request', 413, -32_013, 'The body is larger than 8 MiB.'),
  unsupported_media_type: row('invalid_request', 415, -32_015, 'The body must be application/json.'),
  unknown_path: row('resource_not_found', 404, -32_004, 'There is nothing at this address.'),
} as const satisfies Partial<Record<ErrorReason, Row>>;

interface Row {
  code: ErrorCode;
  status: number;
  trpc: number;
  message: string;
}

function row(code: ErrorCode, status: number, trpc: number, message: string): Row {
  return { code, status, trpc, message };
}

/** Why a front refuses. */
export type FrontRefusal = keyof typeof refusals;

/** Refuses the whole request. */
export class Refused extends Error {
  override name = 'Refused';
  readonly reason: FrontRefusal;

  constructor(reason: FrontRefusal) {
    super(refusals[reason].message);
    this.reason = reason;
  }
}

/** The body of a refused call, as tRPC writes it. */
export function callRefusal(reason: FrontRefusal, requestId: string): object {
  const { code, status, trpc, message } = refusals[reason];
  const data = { code, httpStatus: status, requestId, reason, fields: [], ...wait(status) };
  return { error: { message, code: trpc, data } };
}

// A service that cannot be reached may be there in a moment.
const wait = (status: number) => status === 503 && { retryAfterSeconds: 1 };

/** The body of a refusal, as REST writes it. */
export function restRefusal(reason: FrontRefusal, requestId: string): object {
  const { code, message } = refusals[reason];
  return { error: { code, message, request_id: requestId } };
}

/** An answer with such a body. */
export function refused(reason: FrontRefusal, requestId: string, body: object): Response {
  const { status } = refusals[reason];
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      'x-error-reason': reason,
      ...(status === 503 && { 'retry-after': '1' }),
      ...(status === 405 && { allow: 'GET, POST' }),
    },
  });
}
