import { toolsOf } from '../../packages/api/src/http/mcp/tools.ts';
import { type Grant, Permission } from '../../packages/api/src/permissions.ts';
import { appRouter } from '../../packages/api/src/router.ts';

/** Every tool of the service, by name. */
export const tools = new Map([...toolsOf(appRouter)].map((tool) => [tool.listed.name, tool]));

/** The permissions of keys by the work that they are for. */
export const keyKinds: Record<string, Grant[]> = {
  everything: ['*'],
  'reading alone': Permission.options.filter((name) => name.endsWith(':read')),
  orders: ['orders:*', 'customers:read'],
  catalog: ['products:*', 'categories:*', 'catalog:*', 'stock:*', 'menus:read'],
  books: ['payments:read', 'settlements:read', 'turns:read', 'reports:read'],
  nothing: [],
};

/** An HTTP answer to one message, with the JSON of its body. */
export interface McpAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: { result?: Record<string, unknown>; error?: Record<string, unknown> & { message: string } };
}

/** Sends a message as plain HTTP, in the revision before the newest one unless its parameters say otherwise. */
export async function send(
  url: string,
  key: string | undefined,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<McpAnswer> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const body = text === '' ? {} : (JSON.parse(text) as McpAnswer['body']);
  return { status: response.status, headers: response.headers, text, body };
}

/** A request of JSON-RPC. */
export const asking = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** The call of a tool. */
export const calling = (name: string, args: object = {}) => asking('tools/call', { name, arguments: args });

/** A request of the newest revision, and the headers that it has. */
export const inNewest = (method: string, params: Record<string, unknown> = {}) =>
  [
    asking(method, {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
  ] as const;

/** The refusal in the result of a tool. */
export const refusalIn = ({ body }: McpAnswer): Record<string, unknown> => {
  const { error } = (body.result?.structuredContent ?? {}) as { error?: Record<string, unknown> };
  if (error === undefined) throw new Error('the tool was not refused');
  return error;
};

/** The arguments of a tool from the input of its operation. */
export function argumentsFrom({ idempotencyKey, ...input }: Record<string, unknown>) {
  return { ...input, ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }) };
}
