import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant } from '@comanda/client';
import { verifyWebhook } from '@comanda/client/webhooks';
import { newSigningSecret, repositoryRoot } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { Envelope, eventTypes } from '../../../packages/api/src/resources/events/types.schema.ts';
import { webhookHeaders } from '../../../packages/worker/src/http/headers.ts';
import { startConsumer, useConsumer } from '../../../tests/support/consumer.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { words as split } from '../../../tests/support/words.ts';
import { download, useDownload } from './comanda-mjs.ts';

const api = usePublishingApi();
const receiver = useConsumer();

describe('trigger', () => {
  test('sends any of the event types with the body of the documents, signed', async () => {
    const { run } = await download(api);
    const document = (await (await fetch(`${api.url}/openapi-v2.json`)).json()) as {
      webhooks: Record<string, { post: { requestBody: { content: Record<string, { example: object }> } } }>;
    };
    receiver.received.length = 0;
    for (const type of eventTypes) {
      const { code, stdout } = await run(['trigger', type, '--to', receiver.url], {
        env: { COMANDA_KEY: '' },
      });
      expect(code, stdout).toBe(0);
      const secret = /signed with (\S+)/.exec(stdout)?.[1] ?? '';
      const { headers, text, body } = receiver.received.at(-1) ?? { headers: {}, text: '', body: {} };
      expect(await verifyWebhook(secret, headers, text)).toEqual(body);
      const { id, created_at } = Envelope.parse(body);
      expect(headers).toMatchObject({ 'x-comanda-event-type': type, 'x-comanda-event-id': id });
      const example = document.webhooks[type]?.post.requestBody.content['application/json']?.example;
      expect(body).toEqual({ ...example, id, created_at });
      expect(id).not.toBe((example as { id: string }).id);
      expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000);
      expect(stdout).toMatch(new RegExp(`${type} +${id}  200  \\d+ ms\\n$`));
    }
    const ids = receiver.received.map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(eventTypes.length);
  });

  test('takes secret, id and attempt from its caller, and exits with 1 when it was not delivered', async () => {
    const { run } = await download(api);
    const secret = newSigningSecret();
    const failing = await startConsumer((_, response) => response.writeHead(500).end('broken'));
    const words = [
      'trigger',
      'order.created',
      '--to',
      failing.url,
      ...split('--id my-id --attempt 3 --verbose'),
    ];
    const { code, stdout } = await run(words, { env: { COMANDA_SECRET: secret } });
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/order\.created +my-id {2}500 .*\n {2}> .*\n {2}< broken\n/),
    ]);
    const [got] = failing.received;
    expect(got?.headers['x-comanda-attempt']).toBe('3');
    expect(await verifyWebhook(secret, got?.headers ?? {}, got?.text ?? '')).toMatchObject({ id: 'my-id' });
    await failing.close();
    const nobody = await run(words);
    expect([nobody.code, nobody.stdout]).toEqual([1, expect.stringContaining('connection refused')]);
  });

  test('names the event types when there is no such one', async () => {
    const { run } = await download(api);
    const { code, stderr } = await run(['trigger', 'order.creatd', '--to', receiver.url]);
    expect(code).toBe(2);
    for (const type of eventTypes) expect(stderr).toContain(`  ${type}\n`);
  });
});

describe('events tail', () => {
  test('shows what was, by type, and ends; or what comes, until Ctrl-C', async () => {
    const { locationId, key } = await place();
    const { run, start } = await download({ url: api.url, key });
    await api.make.product({ locationId, name: 'Cortado' });
    await api.published();
    const tail = ['events', 'tail', '--types', 'product.created'];
    const said = await run([...tail, '--since', '1h', '--once']);
    expect(said.stdout).toMatch(/^\d{4}-\S+ {2}product\.created +\S{36} {2}\{"id".*…\n$/);
    const json = await run([...tail, '--since', '1h', '--once', '--json']);
    const event = JSON.parse(json.stdout);
    expect(event).toMatchObject({ type: 'product.created', data: { name: 'Cortado' } });
    const after = await run([...tail, '--after', event.id, '--once']);
    expect(after).toEqual({ code: 0, stdout: '', stderr: '' });
    const running = start([...tail, '--after', event.id]);
    await api.make.product({ locationId, name: 'Ristretto' });
    await running.says(/product\.created/);
    expect(running.printed()).not.toContain(event.id);
    expect((await running.stop('SIGINT')).code).toBe(130);
  });

  test('says what the service refuses, in its words', async () => {
    const { key } = await place(['orders:read']);
    const { run } = await download({ url: api.url, key });
    const { code, stderr } = await run(['events', 'tail']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^comanda: .*events:read.*\(request \S+\)\n$/)]);
  });
});

test('deliveries are listed with how they ended, and sent again', async () => {
  let status = 500;
  const failing = await startConsumer((_, response) => response.writeHead(status).end());
  const { locationId, key } = await place();
  const { run } = await download({ url: api.url, key });
  expect((await run(['deliveries', 'list'])).stderr).toContain('no webhook endpoint');
  const register = (url: string) =>
    api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
      key: key.key,
      body: { url, events: ['product.created'] },
    });
  const { id } = (await register(failing.url)).body.data;
  expect(await run(['deliveries', 'list'])).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  await api.make.product({ locationId });
  await waitFor('the last attempt', async () =>
    (await run(['deliveries', 'list', '--status', 'dead'])).stdout.includes('attempt 5: dead, HTTP 500'),
  );
  const listed = await run(['deliveries', 'list', id, '--limit', '2', '--type', 'product.created', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ attempt: 5 }, { attempt: 4 }]);
  status = 200;
  expect((await run(['deliveries', 'replay', '--since', '1h'])).stdout).toBe('1 on their way again\n');
  await waitFor('the delivery', async () =>
    (await run(['deliveries', 'list', '--status', 'delivered'])).stdout.includes('delivered, 200'),
  );
  expect((await run(['deliveries', 'replay', '--since', '1h', '--types', 'order.created'])).code).toBe(1);
  const second = (await register(`${failing.url}/2`)).body.data.id;
  const unclear = await run(['deliveries', 'list']);
  expect(unclear.code).toBe(2);
  for (const line of [`${id}  ${failing.url}`, `${second}  ${failing.url}/2`])
    expect(unclear.stderr).toContain(line);
  await failing.close();
});

test('webhooks rotate prints the new secret; the old one signs as well, and with --expire-previous no more', async () => {
  const { locationId, key } = await place();
  const { run } = await download({ url: api.url, key });
  const consumer = await startConsumer();
  const { body } = await api.rest<{ data: { id: string; secret: string } }>('POST /v2/webhook-endpoints', {
    key: key.key,
    body: { url: consumer.url, events: ['product.created'] },
  });
  const first = body.data.secret;
  const verified = async (count: number, secret: string) => {
    await api.make.product({ locationId });
    await waitFor('the delivery', async () => consumer.received.length === count);
    const { headers, text } = consumer.received[count - 1] ?? { headers: {}, text: '' };
    return verifyWebhook(secret, headers, text).then(
      () => true,
      () => false,
    );
  };
  const rotated = await run(['webhooks', 'rotate']);
  expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining('signs as well for 24 hours') });
  expect(await verified(1, first)).toBe(true);
  expect(await verified(2, rotated.stdout.trim())).toBe(true);

  const leaked = await run(['webhooks', 'rotate', body.data.id, '--expire-previous']);
  expect(leaked).toMatchObject({ code: 0, stderr: expect.stringContaining('sign nothing any more') });
  expect(await verified(3, first)).toBe(false);
  expect(await verified(4, rotated.stdout.trim())).toBe(false);
  expect(await verified(5, leaked.stdout.trim())).toBe(true);
  await consumer.close();
});

describe('verify', () => {
  const { secret, id, timestamp, signature, body } = JSON.parse(
    readFileSync(join(repositoryRoot, 'examples/verify-webhook/vector.json'), 'utf8'),
  ) as Record<'secret' | 'id' | 'timestamp' | 'signature' | 'body', string>;
  const digest = webhookHeaders({
    eventId: id,
    eventType: 'order.created',
    attempt: 1,
    timestampSeconds: Number(timestamp),
    secrets: [secret],
    body,
    version: '0',
  })['Content-Digest'];
  const sent = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'Content-Digest': digest ?? '',
  };
  const tool = useDownload(api);
  const verify = (given: { secret?: string; body?: string; headers?: object; at?: string }) => {
    const lines = Object.entries(given.headers ?? sent).map(([name, value]) => `${name}: ${value}`);
    tool.save('headers', `POST /hook HTTP/1.1\r\nHost: erp\r\n${lines.join('\r\n')}\r\n`);
    tool.save('body', given.body ?? body);
    const at = given.at ?? timestamp;
    const words = ['verify', '--headers', '@headers', '--body', '@body', '--at', at];
    // It makes no call.
    return tool.run(words, { env: { COMANDA_URL: '', COMANDA_SECRET: given.secret ?? secret } });
  };

  test('says that the published vector is right', async () => {
    const { code, stdout } = await verify({});
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^right: /)]);
  });

  test.each([
    ['secret', { secret: newSigningSecret() }, ['secret']],
    ['secret, which is no such text', { secret: 'hello' }, ['secret']],
    ['body', { body: body.replace('12.5', '1.5') }, ['body']],
    ['body, which was formatted again', { body: JSON.stringify(JSON.parse(body), null, 1) }, ['body']],
    ['time', { at: String(Number(timestamp) + 3_600) }, ['time', 'everything else is right']],
    ['time, since the clock is behind', { at: '2026-01-31T23:00:00Z' }, ['time', 'everything else is right']],
    ['id', { headers: { ...sent, 'webhook-id': 'another' } }, ['id']],
    ['time and secret', { at: '2026-03-01T00:00:00Z', secret: newSigningSecret() }, ['time', 'secret']],
    ['headers, of which one is missing', { headers: { ...sent, 'webhook-signature': '' } }, ['headers']],
  ])('says what is wrong: the %s', async (_, given, wrong) => {
    const { code, stdout } = await verify(given);
    expect(code).toBe(1);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(wrong);
  });

  test('takes headers one by one or as JSON, and a body from standard input', async () => {
    const one = Object.entries(sent).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
    const options = ['--secret', secret, '--at', timestamp];
    expect((await tool.run(['verify', ...options, ...one, '--body', body])).code).toBe(0);
    const json = ['verify', ...options, '--headers', JSON.stringify(sent), '--body', '@-'];
    expect((await tool.run(json, { input: body })).code).toBe(0);
    expect((await tool.run(json, { input: `${body} ` })).stdout).toMatch(/^body: blanks/);
  });
});

/** A location of its own, with a key. */
async function place(permissions?: Grant[]) {
  const locationId = await api.make.location();
  const key = await api.make.key({ locationId, ...(permissions && { permissions }) });
  return { locationId, key };
}
