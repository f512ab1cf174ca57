import type { NextPage } from '../../call/answer.ts';
import { errorData } from '../../call/error-data.ts';
import type { CallRequest, Outcome } from '../../call/request.ts';
import { type ApiError, invalid } from '../../errors.ts';
import type { ToolResult } from './protocol.ts';
import { hasLimit } from './schema.ts';
import type { Tool } from './tools.ts';
import { answerMembers } from './words.ts';

/** The largest answer of a tool that reads, in characters: more is no use to a model. */
export const mostCharacters = 256 * 1024;

/** The outcome, or a refusal where a read answers too much: nothing is cut. What was written is answered whatever its size. */
export function bounded(outcome: Outcome, { operation }: Tool): Outcome {
  const { text = '', caller } = outcome;
  if (operation.kind === 'mutation' || text.length <= mostCharacters) return outcome;
  const way = hasLimit(operation) ? 'ask for fewer with limit' : 'read it in parts, by the lists';
  const refusal = invalid({
    path: hasLimit(operation) ? 'limit' : '',
    message: `the answer has ${text.length} characters, and a tool answers at most ${mostCharacters}: ${way}`,
    reason: 'batch_too_large',
  });
  return { status: refusal.status, caller, refusal };
}

/**
 * The outcome of a call as the result of a tool: what REST answers, with what REST has in headers as further members. Once
 * as text, for clients that show text, and once as an object.
 */
export function resultOf(outcome: Outcome, { operation }: Tool, request: CallRequest): ToolResult {
  const { refusal, text = 'null', etag, next } = outcome;
  if (refusal !== undefined) return { ...shown(errorOf(refusal, request.requestId)), isError: true };
  const value: unknown = JSON.parse(text);
  const told = Object.entries(answerMembers).flatMap(([header, member]) => {
    const said = request.headers[header];
    return said === undefined ? [] : [[member, said === 'true' ? true : said] as const];
  });
  return shown({
    ...(operation.isList ? (value as object) : { data: value }),
    ...(next !== undefined && { next: nextArguments(next) }),
    ...(etag !== undefined && operation.meta.tag !== undefined && { etag }),
    ...Object.fromEntries(told),
  });
}

const shown = (value: Record<string, unknown>): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
});

const nextArguments = (next: NextPage): object => ('cursor' in next ? next : { offset: Number(next.offset) });

function errorOf(refusal: ApiError, requestId: string): { error: object } {
  const { code, reason, fields, resourceId, retryAfterSeconds, etag, since } = errorData(refusal, requestId);
  return {
    error: {
      code,
      message: refusal.message.replace('Idempotency-Key', 'idempotency_key').replace('If-Match', 'if_match'),
      request_id: requestId,
      reason,
      ...(fields.length > 0 && { fields }),
      ...(resourceId !== undefined && { resource_id: resourceId }),
      ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
      ...(etag !== undefined && { etag }),
      ...(since !== undefined && { since }),
    },
  };
}
