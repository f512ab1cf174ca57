import { randomBytes } from 'node:crypto';
import { createApp, type RunningApp, startServer } from '@comanda/api';
import { type ComandaClient, createClient } from '@comanda/client';
import { createTestDatabase } from './database.ts';
import { requireDocumented } from './documented.ts';
import { openPlace, type Place, type PlaceRows } from './place.ts';
import { useClosed } from './use.ts';

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

/** A real server in this process, on a database of its own, with one location and one key that may do everything. */
export interface TestApi extends Place {
  databaseUrl: string;
  app: RunningApp;
  /** Makes one more location with a key of its own. */
  place(rows?: PlaceRows): Promise<Place>;
  close(): Promise<void>;
}

/** No test depends on whether this tree has the site: the plain pages are served, unless `builtSite` is asked for. */
const noSite = '/nonexistent/site';

/** Starts one that the caller closes; `settings` replace the test's own, and `siteFolder` may be that of the built documents. */
export async function startTestApi(
  settings: Partial<Parameters<typeof createApp>[0]> = {},
  siteFolder = noSite,
): Promise<TestApi> {
  const database = await createTestDatabase();
  const app = await createApp({
    databaseUrl: database.url,
    encryptionKey: randomBytes(32).toString('base64'),
    idempotencyTtlHours: 168,
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
    ...settings,
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 }, undefined, siteFolder);
  const at = { url: server.url, app };
  return {
    ...(await openPlace(at)),
    ...{ app, databaseUrl: database.url, place: (rows) => openPlace(at, rows) },
    async close() {
      await server.drain(1_000);
      await app.close();
      await database.drop();
    },
  };
}

/** One for the tests of a file, or of the `describe` that it is called in. `settings` are asked for when it starts. */
export const useApi = (settings: () => Parameters<typeof startTestApi>[0] = () => ({})): TestApi =>
  useClosed(() => startTestApi(settings()));

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
