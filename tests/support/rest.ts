import { type ComandaClient, createClient } from '@comanda/client';
import { requireDocumented } from './documented.ts';

/** An answer of the REST entrance: `body` is parsed JSON, `text` the bytes as sent. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

/** A call of the REST entrance. `body` is sent as JSON unless it is text. */
export interface Call {
  body?: unknown;
  headers?: Record<string, string>;
  key?: string;
}

/** Calls a REST path of any server, and holds the answer against its documentation: every field, status and header. */
export async function callRest<Body = Record<string, unknown>>(
  baseUrl: string,
  route: string,
  { body, headers = {}, key }: Call = {},
): Promise<Answer<Body>> {
  const [method = 'GET', path = '/'] = route.split(/ (.*)/s);
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, body: parse(text) as Body };
  requireDocumented(method, path, answer);
  return answer;
}

/** The typed client of any server, which repeats nothing and makes no keys: what the server says, the test sees. */
export function typedClient(baseUrl: string, key: string): ComandaClient {
  return createClient({ url: baseUrl, key, retries: 0 });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
