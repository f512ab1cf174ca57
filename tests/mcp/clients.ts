import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The part of a client that the tests use: the same of every client. */
export interface ToolClient {
  revision: string | undefined;
  listTools(): Promise<{ tools: ListedTool[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<CalledTool>;
  listResources(): Promise<{ resources: { uri: string; name: string }[] }>;
  readResource(resource: { uri: string }): Promise<{ contents: { uri: string; text?: string }[] }>;
  close(): Promise<void>;
}

/** A tool as a client lists it. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: unknown;
  annotations?: { readOnlyHint?: boolean | undefined } | undefined;
}

/** The result of a call, as a client has it. */
export interface CalledTool {
  isError?: boolean | undefined;
  content: { type: string; text?: string }[];
  structuredContent: Record<string, unknown>;
}

const me = { name: 'test', version: '1' };

const at = (url: string, key: string) =>
  [new URL('/mcp', url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }] as const;

/** Connects a client to a server with a key. */
export type OpenClient = (url: string, key: string) => Promise<ToolClient>;

/** The official clients by their revision: the newest one with both, and the one before with its SDK. */
export const clients = {
  '2.4.0, newest revision': async (url, key) => {
    const client = new Client(me, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(...at(url, key)));
    return shown(client, client.getNegotiatedProtocolVersion());
  },
  '2.4.0, as it comes': async (url, key) => {
    const client = new Client(me);
    await client.connect(new StreamableHTTPClientTransport(...at(url, key)));
    return shown(client, client.getNegotiatedProtocolVersion());
  },
  '1.32.2': async (url, key) => {
    const client = new OlderClient(me);
    const transport = new OlderTransport(...at(url, key));
    await client.connect(transport);
    return shown(client, transport.protocolVersion);
  },
} satisfies Record<string, OpenClient>;

// Their types differ in what the tests do not read.
const shown = (client: object, revision: string | undefined): ToolClient => {
  const { listTools, callTool, listResources, readResource, close } = client as ToolClient;
  return {
    revision,
    listTools: () => listTools.call(client),
    callTool: (call) => callTool.call(client, call),
    listResources: () => listResources.call(client),
    readResource: (resource) => readResource.call(client, resource),
    close: () => close.call(client),
  };
};
