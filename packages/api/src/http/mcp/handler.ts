import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyRouter } from '@trpc/server';
import { largeFrom } from '../../bodies/bounds.ts';
import type { Input } from '../../bodies/input.ts';
import { joined } from '../../bodies/pieces.ts';
import { readJson } from '../../bodies/read.ts';
import { admit } from '../../call/call.ts';
import type { App, RequestContext } from '../../call/context.ts';
import { requestIdOf } from '../../call/request-id.ts';
import { finishRequest } from '../../call/request-log.ts';
import type { Caller } from '../../credentials/credentials.ts';
import type { SiteServers } from '../../documents/site-files.ts';
import { ApiError, isFault, methodNotAllowed, toApiError } from '../../errors.ts';
import { sendError, sendJson } from '../rest/answer.ts';
import { receiveBody } from '../rest/body.ts';
import { contextOf } from '../trpc/requests.ts';
import { callTool } from './calls.ts';
import { guidesIn } from './guides.ts';
import { openProtocol, type Protocol, type Reply } from './protocol.ts';
import { type Tool, toolsOf, visibleTo } from './tools.ts';

/** What is made with the first request. */
interface Parts {
  protocol: Protocol;
  tools: ReadonlyMap<string, Tool>;
}

/**
 * The entrance of models: operations of v2 as tools of the Model Context Protocol at `/mcp`, without sessions. A request
 * carries one message, and counts once. Returns `false` for any other path.
 */
export function mcpHandler(
  app: App,
  router: AnyRouter,
  pages: () => Promise<SiteServers>,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  let opened: Promise<Parts> | undefined;
  const parts = () => {
    opened ??= open(app, router).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return (request, response) => {
    if (!/^\/mcp(\?|$)/.test(request.url ?? '')) return false;
    void answer(app, parts, pages, request, response);
    return true;
  };
}

async function open(app: App, router: AnyRouter): Promise<Parts> {
  const protocol = await openProtocol(app.log);
  const tools = new Map<string, Tool>();
  for (const tool of toolsOf(router)) {
    tools.set(tool.listed.name, tool);
    await nextTurn();
  }
  return { protocol, tools };
}

async function answer(
  app: App,
  parts: () => Promise<Parts>,
  pages: () => Promise<SiteServers>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = requestIdOf(request.headers['x-request-id']);
  const ctx = {
    ...contextOf(app, request, response, requestId),
    ifMatch: undefined,
    refusesUnknown: true,
  };
  const asked: Asked = { ctx, isLogged: false };
  try {
    refuseForeign(request);
    const { status, text } = await replyTo(asked, parts, pages, request, response);
    sendJson(request, response, status, text, requestId, ctx.headers);
    finish(asked, request, status);
  } catch (error) {
    const refusal = toApiError(error);
    sendError(request, response, refusal, requestId, ctx.headers);
    finish(asked, request, refusal.status, refusal, error);
  }
}

/** A request on its way. */
interface Asked {
  ctx: RequestContext;
  caller?: Caller;
  /** It was a call of a tool, which is counted and logged as a call. */
  isLogged: boolean;
}

/** Throws 405 for a method other than POST, and 403 for a page of another origin: a browser must not lend it this host. */
function refuseForeign({ method = '', headers: { origin, host } }: IncomingMessage): void {
  if (method !== 'POST') throw methodNotAllowed(method, 'POST');
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new ApiError('foreign_origin', 'Pages of another origin are not served here.');
}

async function replyTo(
  asked: Asked,
  parts: () => Promise<Parts>,
  pages: () => Promise<SiteServers>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply> {
  const { ctx } = asked;
  const { credentials, capacity } = ctx.app;
  const caller = await credentials.authenticate(ctx.authorization);
  asked.caller = caller;
  const slot = capacity.bodies.begin(caller.locationId);
  const body = await receiveBody(request, response, largeFrom, slot);
  // One message: readJson refuses a list, so that no request carries several.
  const given = readJson(joined(body), { kind: 'ordinary', isStrict: true });
  const { protocol, tools } = await parts();
  const tool = tools.get(calledIn(given) ?? '');
  // A call of a tool is admitted as a call, which has its refusals in the result.
  if (tool === undefined) await admit(ctx, { permission: null });
  const reply = await protocol(
    { value: given.value, headers: protocolHeaders(request) },
    {
      tools: () => visibleTo(tools.values(), caller),
      async call() {
        if (tool === undefined) return undefined;
        asked.isLogged = true;
        return callTool(ctx, tool, given);
      },
      guides: () => guidesIn(pages),
    },
  );
  if (tool !== undefined && !asked.isLogged) await admit(ctx, { permission: null });
  return reply;
}

/** The name of the tool that a message calls; undefined for any other message. */
function calledIn({ value }: Input): string | undefined {
  const { method, params } = value as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** The headers that the protocol compares with the message. */
function protocolHeaders({ headers }: IncomingMessage): Record<string, string> {
  const named = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];
  return Object.fromEntries(
    named.flatMap((name) => (headers[name] === undefined ? [] : [[name, [headers[name]].flat().join()]])),
  );
}

function finish(
  { ctx, caller, isLogged }: Asked,
  { method = '' }: IncomingMessage,
  status: number,
  refusal?: ApiError,
  error?: unknown,
): void {
  if (isLogged) return;
  const { app, requestId, clientAddress, startedAt } = ctx;
  const line = {
    ...({ requestId, entrance: 'mcp', method, status, clientAddress } as const),
    code: refusal?.errorCode,
    reason: refusal?.reason,
    apiKeyId: caller?.apiKeyId,
    locationId: caller?.locationId,
  };
  const fault = refusal !== undefined && isFault(refusal) ? error : undefined;
  finishRequest(app, line, performance.now() - startedAt, fault);
}
