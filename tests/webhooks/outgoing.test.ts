import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { StaleError } from '../../packages/worker/src/http/exchange.ts';
import { createWebhookSender, type WebhookSenderOptions } from '../../packages/worker/src/http/sender.ts';
import { answering, type Consumer, drip, httpConsumer, rawConsumer, using } from './consumers.ts';

/** A consumer that answers with a status and no body. */
const answers = (status: number) =>
  using(httpConsumer((_, response) => void response.writeHead(status).end()));

const sender = (options: Partial<WebhookSenderOptions> = {}) =>
  using(createWebhookSender({ timeoutMs: 10_000, targets: 'any', allowCidrs: [], ...options }));

async function post(consumer: Consumer, options: Partial<WebhookSenderOptions> = {}) {
  const { send } = await sender(options);
  return send({ url: consumer.url, headers: { 'webhook-id': 'evt_1' }, body: '{"a":"é"}' });
}

const durationMs = expect.any(Number);
const slow = { url: 'http://slow.test/', headers: {}, body: '{}' };
const okHead = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n';

describe('a delivery attempt', () => {
  it('posts the body byte for byte with the headers given and keeps what the consumer says', async () => {
    const seen: unknown[] = [];
    const consumer = await using(
      httpConsumer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        seen.push(request.method, request.headers['webhook-id'], Buffer.concat(chunks).toString());
        response.writeHead(202).end('thanks');
      }),
    );
    const thanks = { ok: true, responseCode: 202, responseBody: 'thanks', durationMs };
    expect(await post(consumer)).toEqual(thanks);
    expect(seen).toEqual(['POST', 'evt_1', '{"a":"é"}']);
  });

  it.each([200, 201, 204, 206, 299])('is delivered by a status of %i', async (status) => {
    expect(await post(await answers(status))).toMatchObject({ ok: true, responseCode: status });
  });

  it.each([
    [301, 'redirect (301) is not followed'],
    [304, 'HTTP 304'],
    [400, 'HTTP 400'],
    [410, 'HTTP 410'],
    [500, 'HTTP 500'],
  ])('fails by a status of %i, saying "%s"', async (status, error) => {
    expect(await post(await answers(status))).toMatchObject({ ok: false, responseCode: status, error });
  });

  it('keeps the first KiB of the answer, never half a character and never U+0000', async () => {
    const consumer = await using(
      httpConsumer((_, response) => void response.writeHead(500).end(`\0x${'é'.repeat(600)}é`)),
    );
    const { responseBody } = await post(consumer);
    expect(responseBody).toBe(`\uFFFDx${'é'.repeat(511)}`);
    const odd = await using(httpConsumer((_, response) => void response.end(`x${'é'.repeat(600)}`)));
    expect((await post(odd)).responseBody).toBe(`x${'é'.repeat(511)}`);
  });

  it('uses a connection again once its answer was read to the end', async () => {
    const consumer = await using(httpConsumer((_, response) => void response.end('ok')));
    const { send } = await sender();
    for (let sent = 0; sent < 5; sent++) await send({ url: consumer.url, headers: {}, body: '{}' });
    expect(consumer.connections).toBeLessThan(5);
  });

  it('does not follow a redirect to an internal server', async () => {
    const internal = await using(httpConsumer((_, response) => void response.end('secret')));
    for (const status of [301, 302, 303, 307, 308]) {
      const consumer = await using(
        httpConsumer((_, response) => void response.writeHead(status, { Location: internal.url }).end()),
      );
      const error = `redirect (${status}) is not followed`;
      expect(await post(consumer)).toMatchObject({ ok: false, responseCode: status, error });
    }
    expect(internal.connections).toBe(0);
  });
});

describe('a consumer that does not answer in time', () => {
  it.each([
    ['says nothing', () => {}],
    ['drips its headers', answering('HTTP/1.1 200 OK\r\n', drip('X-More: 1\r\n'))],
    ['stops in the middle of the status line', answering('HTTP/1.1 20')],
  ])('that %s fails at the limit and is hung up on', async (_, behaviour) => {
    const consumer = await using(rawConsumer(behaviour));
    const attempt = await post(consumer, { timeoutMs: 300 });
    expect(attempt).toEqual({ ok: false, error: expect.any(String), timedOut: true, durationMs });
    expect(attempt.durationMs).toBeGreaterThanOrEqual(299);
    await consumer.firstClosed;
  });

  it('is reported in seconds, or in milliseconds below one', async () => {
    const consumer = await using(rawConsumer(() => {}));
    expect((await post(consumer, { timeoutMs: 1_500 })).error).toBe('no answer within 1.5 s');
    expect((await post(consumer, { timeoutMs: 200 })).error).toBe('no answer within 200 ms');
  });

  it('fails at the limit while its name is still being looked up', async () => {
    const { send } = await sender({ timeoutMs: 200, resolve: () => new Promise(() => {}) });
    const error = 'no connection within 200 ms';
    expect(await send(slow)).toMatchObject({ ok: false, error, timedOut: true });
  });

  it('is given up at once when the caller gives up, and other attempts go on', async () => {
    const consumer = await using(rawConsumer(() => {}));
    const healthy = await using(httpConsumer((_, response) => void response.end()));
    const { send } = await sender();
    const stop = new AbortController();
    const hanging = send({ url: consumer.url, headers: {}, body: '{}', signal: stop.signal });
    expect(await send({ url: healthy.url, headers: {}, body: '{}' })).toMatchObject({ ok: true });
    stop.abort(new Error('shutting down'));
    await expect(hanging).rejects.toThrow('shutting down');
    await consumer.firstClosed;
  });
});

describe('a request with a time limit', () => {
  it('is not sent after that, and leaves its connection to the next', async () => {
    const seen: string[] = [];
    const consumer = await using(
      httpConsumer((request, response) => {
        seen.push(String(request.headers['webhook-id']));
        response.end();
      }),
    );
    const { send } = await sender();
    const request = (id: string) => ({ url: consumer.url, headers: { 'webhook-id': id }, body: '{}' });
    await expect(send({ ...request('late'), sendBy: performance.now() - 1 })).rejects.toThrow(StaleError);
    await send({ ...request('in time'), sendBy: performance.now() + 10_000 });
    expect(seen).toEqual(['in time']);
    expect(consumer.connections).toBe(1);
  });

  it('has all of its time for the answer, however long the connection took', async () => {
    const consumer = await using(httpConsumer((_, response) => void setTimeout(() => response.end(), 300)));
    const slowly = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const { send } = await sender({ timeoutMs: 500, resolve: slowly });
    const url = consumer.url.replace('127.0.0.1', 'slow.test');
    expect(await send({ url, headers: {}, body: '{}' })).toMatchObject({ ok: true });
  });
});

describe('a caller who gives up', () => {
  it('is let go at once even while the name is still being looked up', { timeout: 10_000 }, async () => {
    const { send } = await sender({ timeoutMs: 30_000, resolve: () => new Promise(() => {}) });
    const stop = new AbortController();
    const hanging = send({ ...slow, signal: stop.signal });
    stop.abort(new Error('shutting down'));
    await expect(hanging).rejects.toThrow('shutting down');
    const late = send({ ...slow, signal: stop.signal });
    await expect(late).rejects.toThrow('shutting down');
  });
});

describe('after a 2xx status the body cannot undo the delivery', () => {
  it.each([
    ['drips', answering(okHead, drip('.'))],
    ['stops half way', answering(`${okHead}half`)],
    ['is cut off', answering(`${okHead}half`, (socket) => socket.destroySoon())],
    ['is reset', answering(okHead, (socket) => setImmediate(() => socket.resetAndDestroy()))],
    ['is not valid', answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nnonsense')],
  ])('when it %s', async (_, behaviour) => {
    const consumer = await using(rawConsumer(behaviour));
    expect(await post(consumer)).toMatchObject({ ok: true, responseCode: 200 });
    await consumer.firstClosed;
  });

  it('when it would be a gigabyte: the connection is closed after little of it', async () => {
    const piece = Buffer.alloc(64 * 1_024, 'x');
    let sent = 0;
    const consumer = await using(
      httpConsumer((_, response) => {
        const pump = () => {
          while (!response.destroyed && sent < 2 ** 30) {
            sent += piece.length;
            if (!response.write(piece)) return void response.once('drain', pump);
          }
        };
        pump();
      }),
    );
    const attempt = await post(consumer);
    expect(attempt).toMatchObject({ ok: true, responseBody: 'x'.repeat(1_024) });
    await consumer.firstClosed;
    expect(sent).toBeLessThan(64 * 2 ** 20);
  });

  it('when it is a gzip bomb: nothing is inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20));
    const consumer = await using(
      httpConsumer((_, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb)),
    );
    const before = process.memoryUsage().arrayBuffers;
    const attempt = await post(consumer);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20);
    expect(attempt).toEqual({ ok: true, responseCode: 200, durationMs });
  });
});

describe('a connection that fails', () => {
  it('is reported as a reset or a close', async () => {
    const resetting = await using(
      rawConsumer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    );
    expect(await post(resetting)).toMatchObject({ error: 'connection reset before an answer came' });
    const closing = await using(rawConsumer((socket) => socket.once('data', () => socket.end())));
    expect(await post(closing)).toMatchObject({ error: 'connection closed before an answer came' });
  });

  it('is reported as refused, without address or port', async () => {
    const gone = await rawConsumer(() => {});
    await gone.close();
    expect(await post(gone)).toMatchObject({ ok: false, error: 'connection refused' });
  });

  it('is reported as an answer that is not HTTP, or too large a head', async () => {
    const chatty = await using(rawConsumer(answering('220 mail.example ESMTP\r\n')));
    expect(await post(chatty)).toMatchObject({ ok: false, error: 'the answer is not valid HTTP' });
    const verbose = await using(
      rawConsumer(answering(`HTTP/1.1 200 OK\r\n${`X-Pad: ${'x'.repeat(1_000)}\r\n`.repeat(100)}\r\n`)),
    );
    expect(await post(verbose)).toMatchObject({
      error: 'the headers of the answer are larger than 64 KiB (its status is 200)',
    });
  });

  it.each(['099', '000', '007'])(
    'is reported as an answer that is not HTTP when its status is %s',
    async (status) => {
      const odd = await using(rawConsumer(answering(`HTTP/1.1 ${status} No such status\r\n\r\n`)));
      expect(await post(odd)).toEqual({ ok: false, error: 'the answer is not valid HTTP', durationMs });
    },
  );
});

describe('closing the sender', () => {
  it('waits for the attempt in flight, closes every connection, and refuses more', async () => {
    const events: string[] = [];
    const consumer = await using(
      httpConsumer((_, response) => void setTimeout(() => response.end('late'), 200)),
    );
    const { send, close } = createWebhookSender({ timeoutMs: 10_000, targets: 'any', allowCidrs: [] });
    const attempt = send({ url: consumer.url, headers: {}, body: '{}' }).then(({ ok }) =>
      events.push(`attempt ${ok}`),
    );
    await close().then(() => events.push('closed'));
    await attempt;
    expect(events).toEqual(['attempt true', 'closed']);
    await consumer.firstClosed;
    await expect(send({ url: consumer.url, headers: {}, body: '{}' })).rejects.toThrow('closed');
  });
});
