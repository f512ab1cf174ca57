import { createHash } from 'node:crypto';
import { newSigningSecret } from '@comanda/db';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookHeaders } from '../../packages/worker/src/http/headers.ts';
import { createWebhookSender } from '../../packages/worker/src/http/sender.ts';
import { type Consumer, httpConsumer } from './consumers.ts';

// JSON.stringify would write it in another way.
const body =
  '{"id": "0199f0aa","type":"order.created","data":{"total":12.50,"comment":"açaí \\u0001 🍜 \\"x\\""}}';

function headersFor(secrets: string[], timestampSeconds = Math.floor(Date.now() / 1_000)) {
  return webhookHeaders({
    eventId: '0199f0aa',
    eventType: 'order.created',
    attempt: 3,
    timestampSeconds,
    secrets,
    body,
    version: '1.2.3',
  });
}

describe('the headers of a delivery', () => {
  it('are those of the contract, and a digest of the body', () => {
    const secret = newSigningSecret();
    const headers = headersFor([secret], 1_800_000_000);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Comanda-Webhooks/1.2.3',
      'X-Comanda-Event-Id': '0199f0aa',
      'X-Comanda-Event-Type': 'order.created',
      'X-Comanda-Attempt': '3',
      'webhook-id': '0199f0aa',
      'webhook-timestamp': '1800000000',
      'webhook-signature': new Webhook(secret).sign('0199f0aa', new Date(1_800_000_000_000), body),
      'Content-Digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
    });
  });

  it('sign with every live secret, newest first: the independent library accepts either', () => {
    const [newer, older, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
    // One moment for both: the second may change between two calls.
    const now = Math.floor(Date.now() / 1_000);
    const headers = headersFor([newer, older], now);
    const signatures = headers['webhook-signature']?.split(' ') ?? [];
    expect(signatures).toHaveLength(2);
    expect(signatures[0]).toBe(headersFor([newer], now)['webhook-signature']);
    for (const secret of [newer, older]) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(newer).verify(`${body} `, headers)).toThrow('No matching signature');
  });
});

describe('a delivery as the consumer receives it', () => {
  const received: { headers: Record<string, string>; body: string }[] = [];
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await httpConsumer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push({
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      });
      response.end();
    });
  });
  afterAll(() => consumer.close());

  it('carries the headers and nothing that names our insides, and verifies', async () => {
    const secret = newSigningSecret();
    const headers = headersFor([secret]);
    const sender = createWebhookSender({ timeoutMs: 10_000, targets: 'any', allowCidrs: [] });
    await sender.send({ url: consumer.url, headers, body });
    await sender.close();
    const [delivery] = received;
    expect(new Webhook(secret).verify(delivery?.body ?? '', delivery?.headers ?? {})).toEqual(
      JSON.parse(body),
    );
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    expect(Object.keys(delivery?.headers ?? {}).sort()).toEqual(
      [...names, 'host', 'connection', 'content-length'].sort(),
    );
  });
});
