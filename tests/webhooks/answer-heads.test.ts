import { describe, expect, it } from 'vitest';
import { createWebhookSender } from '../../packages/worker/src/http/sender.ts';
import { answering, rawConsumer, using } from './consumers.ts';

async function post({ url }: { url: string }) {
  const { send } = await using(createWebhookSender({ timeoutMs: 10_000, targets: 'any', allowCidrs: [] }));
  return send({ url, headers: {}, body: '{}' });
}

const twice = 'Content-Length: 2\r\nContent-Length: 2\r\n\r\nok';

describe('an answer', () => {
  it.each([
    ['a head of 60 KiB', `${`Set-Cookie: a=${'x'.repeat(1_000)}\r\n`.repeat(60)}Content-Length: 2\r\n\r\nok`],
    ['the same length twice', twice],
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  ])('counts by its status when it has %s', async (_, rest) => {
    const done = await using(rawConsumer(answering(`HTTP/1.1 200 OK\r\n${rest}`)));
    expect(await post(done)).toMatchObject({ ok: true, responseCode: 200 });
    const failed = await using(rawConsumer(answering(`HTTP/1.1 500 No\r\n${rest}`)));
    expect(await post(failed)).toMatchObject({ ok: false, responseCode: 500, error: 'HTTP 500' });
  });

  it.each([
    ['in two pieces', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConte', 'nt-Length: 2\r\n\r\nok'],
    [
      'in two pieces, cut between lines',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n',
      'Content-Length: 2\r\n\r\nok',
    ],
    ['after an early one', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', `HTTP/1.1 200 OK\r\n${twice}`],
  ])('counts by its status when it has the same length twice, and comes %s', async (_, first, second) => {
    const consumer = await using(
      rawConsumer(answering(first, (socket) => void setTimeout(() => socket.write(second), 50))),
    );
    expect(await post(consumer)).toMatchObject({ ok: true, responseCode: 200 });
  });

  it('is a failure when it ends before its head does', async () => {
    const cut = await using(
      rawConsumer(
        answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Pad: 1\r\n', (socket) => socket.end()),
      ),
    );
    expect(await post(cut)).toMatchObject({ ok: false });
  });

  it.each([
    ['a blank in a name', 'Content-Length: 2\r\nX Pad: 1\r\n\r\nok'],
    ['a control character in a value', 'X-Pad: a\u0001b\r\nContent-Length: 2\r\n\r\nok'],
  ])('is refused with its status when it has %s', async (_, rest) => {
    const odd = await using(rawConsumer(answering(`HTTP/1.1 200 OK\r\n${rest}`)));
    expect(await post(odd)).toMatchObject({
      ok: false,
      error: 'the answer is not valid HTTP (its status is 200)',
    });
  });
});
