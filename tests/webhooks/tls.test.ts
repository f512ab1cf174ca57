import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookSender, type WebhookSenderOptions } from '../../packages/worker/src/http/sender.ts';
import { certificates } from './certificates.ts';
import { type Consumer, httpConsumer, httpsConsumer } from './consumers.ts';

/** Two attempts, for a remembered session must not let the second one in. */
async function postTwice(consumer: Consumer, host: string, options: Partial<WebhookSenderOptions> = {}) {
  const sender = createWebhookSender({
    timeoutMs: 10_000,
    targets: 'any',
    allowCidrs: [],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...options,
  });
  onTestFinished(() => sender.close().then(() => consumer.close()));
  const request = { url: `https://${host}:${consumer.port}/`, headers: {}, body: '{}' };
  return [await sender.send(request), await sender.send(request)];
}

const failures = (error: string) => Array(2).fill({ ok: false, error, durationMs: expect.any(Number) });

describe('TLS', () => {
  it('delivers to a consumer whose certificate is trusted, for its name and not expired', async () => {
    const consumer = await httpsConsumer('valid');
    const attempts = await postTwice(consumer, 'localhost', { ca: certificates.valid });
    expect(attempts).toMatchObject(Array(2).fill({ ok: true, responseBody: 'secure' }));
  });

  it('fails for a self-signed certificate, for any setting of the environment', async () => {
    const requests: unknown[] = [];
    const consumer = await httpsConsumer('valid', (request) => requests.push(request));
    // Node prints a warning about the variable; a green run prints none.
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const attempts = await postTwice(consumer, 'localhost').finally(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      warned.mockRestore();
    });
    expect(attempts).toEqual(failures('TLS: the certificate is self-signed'));
    expect(requests).toEqual([]);
  });

  it('fails for an expired certificate', async () => {
    const ca = certificates.expired;
    const attempts = await postTwice(await httpsConsumer('expired'), 'localhost', { ca });
    expect(attempts).toEqual(failures('TLS: the certificate has expired'));
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'fails for a certificate of another name (%s)',
    async (version) => {
      const consumer = await httpsConsumer('valid', undefined, version);
      const attempts = await postTwice(consumer, 'other.test', { ca: certificates.valid });
      expect(attempts).toEqual(failures('TLS: the certificate is for another host name'));
    },
  );

  it('fails for a consumer that does not speak TLS', async () => {
    const attempts = await postTwice(await httpConsumer((_, response) => void response.end()), 'localhost');
    expect(attempts).toEqual(failures('TLS: the handshake failed'));
  });
});
