import { beginSpan } from '@comanda/db';
import type { Given, Input } from '../../bodies/input.ts';
import { call } from '../../call/call.ts';
import { uncodedTags } from '../../call/conditional.ts';
import type { RequestContext } from '../../call/context.ts';
import { type Operation, takesIfMatch } from '../../call/operations.ts';
import type { CallRequest } from '../../call/request.ts';
import { finishCall } from '../../call/request-log.ts';
import { invalid } from '../../errors.ts';
import type { ToolResult } from './protocol.ts';
import { bounded, resultOf } from './results.ts';
import { hasLimit, shortLimit } from './schema.ts';
import type { Tool } from './tools.ts';

/** Calls a tool with the arguments of a message. Never rejects. */
export async function callTool(ctx: RequestContext, tool: Tool, message: Input): Promise<ToolResult> {
  const { operation, listed } = tool;
  const { name, kind } = operation;
  const { body, key, tag } = argumentsOf(message, operation);
  const span = beginSpan(name, 'server', ctx.traceparent, { 'rpc.system': 'mcp', 'rpc.method': name });
  const request: CallRequest = {
    ...ctx,
    span,
    traceparent: span.traceparent,
    operation,
    entrance: 'mcp',
    method: kind,
    shown: `tools/call ${listed.name}`,
    takesStreams: false,
    ifMatch: typeof tag === 'string' ? uncodedTags(tag) : undefined,
    async receive(): Promise<Given> {
      if (tag !== undefined && typeof tag !== 'string')
        throw invalid({ path: 'if_match', message: 'must be text: the etag of an answer' });
      return { body, members: {}, key: { name: 'idempotency_key', key }, isStrict: true };
    },
  };
  const asked =
    tool.operationFor === undefined ? request : { ...request, operation: tool.operationFor(request) };
  const outcome = bounded(await call(asked), tool);
  finishCall(request, outcome);
  return resultOf(outcome, tool, request);
}

/** The arguments of a message as the input of an operation, and apart from it what REST has in headers. */
function argumentsOf({ value, exact, mayBeUnstorable }: Input, operation: Operation) {
  const { rest, key, tag } = taken(value, operation);
  const body = { value: rest, exact: exact === value ? rest : taken(exact, operation).rest, mayBeUnstorable };
  return { body, key, tag };
}

function taken(message: unknown, operation: Operation) {
  const { params } = message as { params: { arguments?: Record<string, unknown> } };
  const rest = { ...params.arguments };
  let key: unknown;
  let tag: unknown;
  if (operation.kind === 'mutation') {
    key = rest.idempotency_key;
    delete rest.idempotency_key;
  }
  if (takesIfMatch(operation)) {
    tag = rest.if_match;
    delete rest.if_match;
  }
  if (hasLimit(operation)) rest.limit ??= shortLimit;
  return { rest, key, tag };
}
