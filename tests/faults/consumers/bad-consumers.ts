import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  answering,
  type Consumer,
  drip,
  httpConsumer,
  httpsConsumer,
  rawConsumer,
} from '../../webhooks/consumers.ts';

/** A consumer that misbehaves. */
export interface BadConsumer {
  /** Its behavior, as in "a consumer that …". */
  does: string;
  /** The report to the owner of the endpoint on each of the five attempts; `limit` is the time limit in words. */
  report(limit: string): string | RegExp;
  /** Starts it; `internal` is the address of a server that must not be reached through it. */
  start(internal: string): Promise<Consumer>;
}

const head = (status: string, ...lines: string[]) => [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
const noAnswer = (limit: string) => `no answer within ${limit}`;
const always = (text: string | RegExp) => () => text;

/** Every way to misbehave that an attempt must end in failure for. */
export const badConsumers: readonly BadConsumer[] = [
  { does: 'hangs', report: noAnswer, start: () => rawConsumer(() => {}) },
  {
    does: 'drips its headers',
    report: noAnswer,
    start: () => rawConsumer(answering('HTTP/1.1 200 OK\r\n', drip('X-More: 1\r\n'))),
  },
  {
    does: 'drips the body of a refusal',
    report: always('HTTP 500'),
    start: () => rawConsumer(answering(head('500 No', 'Content-Length: 100000'), drip('.'))),
  },
  {
    does: 'sends interim answers without end',
    report: noAnswer,
    start: () => rawConsumer(answering('', drip(head('103 Early Hints', 'Link: </a>')))),
  },
  {
    does: 'sends headers without end',
    report: always('the headers of the answer are larger than 64 KiB (its status is 200)'),
    start: () => rawConsumer(answering('HTTP/1.1 200 OK\r\n', flood(`X-Pad: ${'x'.repeat(8_000)}\r\n`))),
  },
  {
    does: 'refuses with a gigabyte',
    report: always('HTTP 500'),
    start: () => httpConsumer((_, response) => pour(response.writeHead(500), 2 ** 30)),
  },
  {
    does: 'refuses with a gzip bomb',
    report: always('HTTP 500'),
    start: () => {
      const bomb = gzipSync(Buffer.alloc(256 * 2 ** 20));
      return httpConsumer(
        (_, response) => void response.writeHead(500, { 'Content-Encoding': 'gzip' }).end(bomb),
      );
    },
  },
  {
    does: 'redirects to an internal address',
    report: always('redirect (307) is not followed'),
    start: (internal) =>
      httpConsumer((_, response) => void response.writeHead(307, { Location: internal }).end()),
  },
  {
    does: 'names an internal proxy',
    report: always('redirect (305) is not followed'),
    start: (internal) =>
      httpConsumer(
        (_, response) =>
          void response.writeHead(305, { Location: internal, Refresh: `0;url=${internal}` }).end(),
      ),
  },
  {
    does: 'resets the connection',
    report: always('connection reset before an answer came'),
    start: () => rawConsumer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
  },
  {
    does: 'hangs up without a word',
    report: always('connection closed before an answer came'),
    start: () => rawConsumer((socket) => void socket.once('data', () => socket.end())),
  },
  {
    does: 'answers as in the days of HTTP/0.9',
    report: always('the answer is not valid HTTP'),
    start: () =>
      rawConsumer((socket) => void socket.once('data', () => socket.end('<html>It works!</html>'))),
  },
  {
    does: 'answers with noise',
    report: always('the answer is not valid HTTP'),
    start: () => rawConsumer((socket) => void socket.once('data', () => socket.end(randomBytes(4_096)))),
  },
  {
    does: 'shows a self-signed certificate',
    report: always('TLS: the certificate is self-signed'),
    start: () => httpsConsumer('valid'),
  },
  {
    does: 'shows an expired certificate',
    report: always(/^TLS: the certificate (is self-signed|has expired)$/),
    start: () => httpsConsumer('expired'),
  },
  {
    does: 'speaks no TLS where TLS is expected',
    report: always('TLS: the handshake failed'),
    start: async () => {
      const plain = await rawConsumer((socket) => void socket.once('data', () => socket.end('plain\r\n')));
      return { ...plain, url: plain.url.replace('http:', 'https:') };
    },
  },
  {
    does: 'is gone',
    report: always('connection refused'),
    start: async () => {
      const gone = await rawConsumer(() => {});
      await gone.close();
      return { ...gone, close: async () => {} };
    },
  },
  {
    does: 'has a name that no server resolves',
    report: always(/^(host name not found: nobody\.invalid|host name could not be resolved at the moment)$/),
    start: async () => {
      const gone = await rawConsumer(() => {});
      await gone.close();
      return { ...gone, url: `http://nobody.invalid:${gone.port}/`, close: async () => {} };
    },
  },
];

/** Writes as fast as the other side takes it, until that hangs up. */
function flood(piece: string): (socket: Socket) => void {
  return (socket) => {
    const more = () => {
      while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', more);
    };
    more();
  };
}

function pour(response: ServerResponse, bytes: number): void {
  const piece = Buffer.alloc(64 * 1_024, 'x');
  let left = bytes;
  const more = () => {
    while (!response.destroyed && left > 0) {
      left -= piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}
