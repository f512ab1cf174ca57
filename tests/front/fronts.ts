import type { RequestListener } from 'node:http';
import { type ClientOptions, type ComandaClient, createClient } from '@comanda/client';
import { createFront, type FrontAccess, type FrontOptions } from '@comanda/client/front';
import { createNodeFront } from '@comanda/client/front/node';
import express from 'express';
import * as support from '../support/listening.ts';

/** The options of a front, except the part of a request that each entrance reads: its cookie. */
export type Options = Omit<FrontOptions, 'path' | 'allow'> & {
  allow:
    | FrontAccess
    | ((cookie: string | undefined) => FrontAccess | undefined | Promise<FrontAccess | undefined>);
};

/** A front that was started. */
export interface Front {
  /** The base URL for a client in a browser. */
  url: string;
  /** Asks the front as a browser does. */
  ask: typeof fetch;
  /** The typed client of a browser whose session is in `cookie`. */
  client(cookie?: string, options?: Partial<ClientOptions>): ComandaClient;
  close(): Promise<void>;
}

const path = '/comanda';

/** Each entrance by its name. */
export const entrances: Readonly<Record<string, (options: Options) => Promise<Front>>> = {
  async fetch({ allow, ...options }) {
    const front = createFront({
      ...options,
      path,
      allow: by(allow, (request: Request) => request.headers.get('cookie') ?? undefined),
    });
    const ask: typeof fetch = (input, init) => front(new Request(input, init));
    return started(`http://app.example.com${path}`, ask, async () => {});
  },
  async node({ allow, ...options }) {
    return listening(
      createNodeFront({ ...options, path, allow: by(allow, ({ headers }) => headers.cookie) }),
    );
  },
  async express({ allow, ...options }) {
    const front = createNodeFront<express.Request>({
      ...options,
      path,
      allow: by(allow, (request: express.Request) => request.get('cookie')),
    });
    return listening(express().use(path, express.json(), front));
  },
};

const by = <Incoming>(
  allow: Options['allow'],
  cookieOf: (request: Incoming) => string | undefined,
): FrontOptions<Incoming>['allow'] =>
  typeof allow === 'function' ? (request) => allow(cookieOf(request)) : allow;

/** A front behind a server of Node. */
export async function listening(listener: RequestListener): Promise<Front> {
  const { url, close } = await support.listening(listener);
  return started(`${url}${path}`, fetch, close);
}

const started = (url: string, ask: typeof fetch, close: () => Promise<void>): Front => ({
  url,
  ask,
  close,
  client: (cookie, options) =>
    createClient({
      url,
      key: 'kept-by-the-server',
      retries: 0,
      fetch: (input, init) =>
        ask(input, { ...init, headers: { ...init?.headers, ...(cookie && { cookie }) } } as RequestInit),
      ...options,
    }),
});
