import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

/** A request on its way to the service, and what can become of it. */
export interface Passing {
  request: IncomingMessage;
  response: ServerResponse;
  body: string;
  /** Sends it on; what the service answers. */
  forward(): Promise<Response>;
}

/** The fate of a request. */
export type Fate = (passing: Passing) => Promise<void>;

/** It reaches the service, and its answer the client, as `alter` makes it. */
export const pass =
  (alter: (text: string) => string = (text) => text): Fate =>
  async ({ response, forward }) => {
    const answer = await forward();
    const kept = ['content-type', 'idempotency-replayed', 'retry-after', 'x-request-id'];
    const headers = [...answer.headers].filter(([name]) => kept.includes(name));
    response.writeHead(answer.status, Object.fromEntries(headers)).end(alter(await answer.text()));
  };

/** It never reaches the service. */
export const cut: Fate = async ({ request }) => {
  request.socket.destroy();
};

/** It is done, and its answer is lost. */
export const loseAnswer: Fate = async ({ request, forward }) => {
  await (await forward()).text();
  request.socket.destroy();
};

/** A proxy answers in the place of the service. */
export const answer =
  (status: number, headers: Record<string, string>, text: string): Fate =>
  async ({ response }) => {
    response.writeHead(status, headers).end(text);
  };

/** It waits for `until` before it goes on. */
export const hold =
  (until: Promise<unknown>): Fate =>
  async (passing) => {
    await until;
    await pass()(passing);
  };

/** A proxy between the client and the service. */
export interface Between {
  url: string;
  /** The received requests, in order. */
  came: { route: string; body: Record<string, unknown> }[];
  /** The fates of the next requests, in order; those after them pass. */
  fates: Fate[];
  /** The fate of a request that has none of its own; it may be set again. */
  usual: Fate;
  close(): Promise<void>;
}

/** Puts a proxy before the service at `serviceUrl`; what has no fate of its own gets `usual`. */
export async function standBetween(serviceUrl: string, usual: Fate = pass()): Promise<Between> {
  const came: Between['came'] = [];
  const fates: Fate[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    came.push({ route: `${request.method} ${request.url?.split('?')[0]}`, body: JSON.parse(body || '{}') });
    const forward = () =>
      fetch(`${serviceUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers: {
          authorization: request.headers.authorization ?? '',
          ...(body !== '' && { 'content-type': 'application/json' }),
        },
        ...(body !== '' && { body }),
      });
    await (fates.shift() ?? between.usual)({ request, response, body, forward });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const between: Between = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    came,
    fates,
    usual,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return between;
}

/** The error with which a call fails; a call that is answered fails the test. */
export const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)}`),
    (error: Error) => error,
  );
