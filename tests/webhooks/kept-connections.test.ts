import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKeptOrigins } from '../../packages/worker/src/http/kept-connections.ts';
import { createWebhookSender } from '../../packages/worker/src/http/sender.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { httpConsumer, rawConsumer } from './consumers.ts';

const options = { timeoutMs: 10_000, targets: 'any', allowCidrs: [] } as const;

function using<T extends { close(): Promise<void> }>(thing: T): T {
  onTestFinished(() => thing.close());
  return thing;
}

describe('the connection of a webhook', () => {
  it('keeps the connection to an endpoint that is quiet for longer than a second', async () => {
    const consumer = using(await httpConsumer((_, response) => void response.end('ok')));
    const { send } = using(createWebhookSender(options));
    await send({ url: consumer.url, headers: {}, body: '{}' });
    await sleep(1_500);
    await send({ url: consumer.url, headers: {}, body: '{}' });
    expect(consumer.connections).toBe(1);
  });

  it.each(['resetAndDestroy', 'destroy'] as const)(
    'is sent again at once when its kept connection is being closed (%s)',
    async (close) => {
      let asked = 0;
      const consumer = using(
        await rawConsumer((socket) => {
          let onThis = 0;
          socket.on('data', (piece) => {
            if (!piece.includes('{}')) return;
            asked += 1;
            onThis += 1;
            if (onThis === 2) socket[close]();
            else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          });
        }),
      );
      const { send } = using(createWebhookSender(options));
      const request = { url: consumer.url, headers: {}, body: '{}' };
      const attempts = [await send(request)];
      // The pool gets the connection back a turn after the answer.
      await sleep(50);
      attempts.push(await send(request));
      expect(attempts).toMatchObject([{ ok: true }, { ok: true }]);
      expect({ asked, connections: consumer.connections }).toEqual({ asked: 3, connections: 2 });
    },
  );

  it('is not sent again when a new connection is closed', async () => {
    const consumer = using(
      await rawConsumer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    );
    const { send } = using(createWebhookSender(options));
    expect(await send({ url: consumer.url, headers: {}, body: '{}' })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^connection (reset|closed)/),
    });
    expect(consumer.connections).toBe(1);
  });

  it('ends connections of a thousand-and-first origin soon, and keeps those in use', () => {
    const keptOf = createKeptOrigins(2, 60_000);
    const keeps = (origin: string, now: number) => keptOf(origin, now) !== undefined;
    expect([keeps('a', 0), keeps('b', 1), keeps('c', 2), keeps('a', 30_000)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    // b was not asked for in a minute.
    expect([keeps('c', 60_001), keeps('b', 60_002), keeps('a', 60_003)]).toEqual([true, false, true]);
  });

  it('is not used for a name that leads inward by now', async () => {
    const consumer = using(await httpConsumer((_, response) => void response.end('ok')));
    let address = '127.0.0.1';
    const clock = createMovedClock();
    const { send } = using(
      createWebhookSender({
        timeoutMs: 10_000,
        targets: 'public',
        allowCidrs: ['127.0.0.0/8'],
        clock,
        resolve: async () => [{ address, family: 4 }],
      }),
    );
    const request = { url: `http://shop.test:${consumer.port}/`, headers: {}, body: '{}' };
    expect(await send(request)).toMatchObject({ ok: true });
    // The pool gets the connection back a turn after the answer.
    await sleep(50);
    address = '10.0.0.1';
    clock.advance(1_200);
    expect(await send(request)).toMatchObject({ ok: false, error: expect.stringContaining('is not public') });
    address = '127.0.0.1';
    expect(await send(request)).toMatchObject({ ok: true });
    expect(consumer.connections).toBe(1);
  });
});
