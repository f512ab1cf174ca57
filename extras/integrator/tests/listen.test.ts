import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@comanda/api';
import { verifyWebhook } from '@comanda/client/webhooks';
import { describe, expect, test } from 'vitest';
import { type Answerer, type Received, startConsumer } from '../../../tests/support/consumer.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { type Download, download } from './comanda-mjs.ts';
import { startFront } from './front.ts';

const api = usePublishingApi();

/** A location with a key of its own, comanda.mjs in a folder, and a receiver. */
async function desk(answer?: Answerer) {
  const locationId = await api.make.location();
  const key = await api.make.key({ locationId });
  const made = await download({ url: api.url, key });
  const receiver = await startConsumer(answer);
  const product = async (name: string) => {
    await api.make.product({ locationId, name });
    await api.published();
  };
  const state = () => JSON.parse(readFileSync(join(made.folder, '.comanda.json'), 'utf8'));
  const got = (count: number) => waitFor(`${count} deliveries`, () => receiver.received.length >= count);
  return { ...made, key: key.key, locationId, receiver, product, state, got };
}

const words = (url: string) => ['listen', '--forward-to', url, '--types', 'product.created'];
const names = (received: readonly Received[]) =>
  received.map(({ body }) => (body as { data: { name: string } }).data.name);

/** Starts, and waits until it knows its position. */
async function listening({ start, state }: Download & { state(): { after?: string } }, given: string[]) {
  const running = start(given);
  const [, secret = ''] = await running.says(/signed with (whsec_\S+)/);
  await waitFor('a cursor', () => state().after !== undefined);
  return { ...running, secret };
}

describe('listen', () => {
  test('sends what an endpoint gets: the same body, the same headers, signed with what it prints', async () => {
    const real = await desk();
    await api.rest('POST /v2/webhook-endpoints', {
      key: real.key,
      body: { url: real.receiver.url, events: ['product.created'] },
    });
    const { receiver, product } = real;
    const forwarded = await startConsumer();
    const running = await listening(real, words(forwarded.url));
    await product('Açaí "grande" \u2028 🍧 </script> \\ 1e3');
    await waitFor('both deliveries', () => receiver.received[0] && forwarded.received[0]);
    const [own, theirs] = [forwarded.received[0], receiver.received[0]].map((each) => each as Received) as [
      Received,
      Received,
    ];
    expect(own.text).toBe(theirs.text);
    const fixed = ({ headers }: Received) => {
      const { host, 'webhook-timestamp': at, 'webhook-signature': signature, ...others } = headers;
      return { ...others, at: typeof at, signature: signature?.length };
    };
    expect(fixed(own)).toEqual(fixed(theirs));
    expect(await verifyWebhook(running.secret, own.headers, own.text)).toEqual(own.body);
    const [line] = await running.says(/product\.created.* ms\n/);
    expect(line).toMatch(new RegExp(`^product\\.created +${own.body.id}  200  \\d+ ms\n$`));
    expect((await running.stop('SIGINT')).code).toBe(130);
    expect(running.printed()).not.toContain(real.key);
    await Promise.all([forwarded.close(), receiver.close()]);
  });

  test('begins with now, keeps its cursor and its secret, and misses nothing while it is down', async () => {
    const each = await desk();
    await each.product('before');
    const first = await listening(each, words(each.receiver.url));
    await each.product('A');
    await each.got(1);
    await waitFor('the cursor', () => each.state().after === each.receiver.received[0]?.body.id);
    await first.stop('SIGKILL');
    await each.product('B');
    await each.product('C');
    const second = await listening(each, words(each.receiver.url));
    await each.got(3);
    expect(names(each.receiver.received)).toEqual(['A', 'B', 'C']);
    expect(second.secret).toBe(first.secret);
    expect(second.printed()).toContain(`after the event ${each.receiver.received[0]?.body.id}`);
    expect(statSync(join(each.folder, '.comanda.json')).mode & 0o777).toBe(0o600);
    await second.stop();
    await each.receiver.close();
  });

  test('does not lose what the receiver did not get: it is sent again until it is answered', async () => {
    let closing = 0;
    const each = await desk((_, response, nth) => {
      closing = nth;
      if (nth === 1) return response.socket?.destroy();
      response.writeHead(nth === 2 ? 503 : nth === 3 ? 500 : 200).end('said');
    });
    const running = await listening(each, [...words(each.receiver.url), '--verbose']);
    await each.product('A');
    await each.got(3);
    await each.product('B');
    await each.got(4);
    expect(closing).toBe(4);
    expect(names(each.receiver.received)).toEqual(['A', 'A', 'A', 'B']);
    expect(each.receiver.received.map(({ headers }) => headers['x-comanda-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '1',
    ]);
    await running.says(/ 200 {2}\d+ ms\n {2}> \{.*"B".*\n {2}< said\n/);
    expect(running.printed()).toMatch(/connection closed without an answer .*again until it answers\n/);
    expect(running.printed()).toMatch(/ 500 {2}\d+ ms\n/);
    await running.stop();
    await each.receiver.close();
  });

  test('waits for a receiver that is not there yet', async () => {
    const each = await desk();
    const { url } = each.receiver;
    await each.receiver.close();
    const running = await listening(each, words(url));
    await each.product('A');
    await running.says(/connection refused/);
    const port = Number(new URL(url).port);
    const later = await startConsumer(undefined, port);
    await waitFor('the delivery', () => later.received.length === 1);
    expect(later.received[0]?.headers['x-comanda-attempt']).toBe('1');
    await running.stop();
    await later.close();
  });

  test('survives a restart of the service', async () => {
    const each = await desk();
    let server: RunningServer = await startServer(api.app, { host: '127.0.0.1', port: 0 });
    const { url } = server;
    const running = await listening(each, [...words(each.receiver.url), '--url', url]);
    await server.drain(0);
    await running.says(/connection refused; asking again/);
    await each.product('A');
    server = await startServer(api.app, { host: '127.0.0.1', port: Number(new URL(url).port) });
    await each.got(1);
    await running.says(/answers again/);
    await each.product('B');
    await each.got(2);
    expect(names(each.receiver.received)).toEqual(['A', 'B']);
    await running.stop();
    await Promise.all([server.drain(0), each.receiver.close()]);
  });

  test('says so when the feed does not know its cursor any more, and goes on with the time of it', async () => {
    const each = await desk();
    const first = await listening(each, words(each.receiver.url));
    await each.product('A');
    await each.got(1);
    await waitFor('the cursor', () => each.state().since !== undefined);
    await first.stop();
    await each.product('B');
    // Of another location, as one that is too old: the feed does not know it.
    const other = await desk();
    await other.product('foreign');
    const foreign = await api.rest<{ data: { id: string }[] }>('GET /v2/events', { key: other.key });
    writeFileSync(
      join(each.folder, '.comanda.json'),
      JSON.stringify({ ...each.state(), after: foreign.body.data[0]?.id }),
    );
    const second = await listening(each, words(each.receiver.url));
    await second.says(/the feed does not know .* any more; going on with what happened since/);
    await each.got(3);
    expect(names(each.receiver.received)).toEqual(['A', 'A', 'B']);
    await second.stop();
    const { code, stderr } = await each.run([...words(each.receiver.url), '--after', 'nonsense']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/after: .*no event of this location/)]);
    await Promise.all([each.receiver.close(), other.receiver.close()]);
  });

  test('pages through a long feed, and ends with --once', async () => {
    const each = await desk();
    const many = Array.from({ length: 450 }, (_, n) => `P${n}`);
    await api.prisma.product.createMany({
      data: many.map((name) => ({ locationId: each.locationId, name, sku: name, price: 1 })),
    });
    await api.published();
    const { code, stdout } = await each.run([...words(each.receiver.url), '--since', '1h', '--once']);
    expect(code).toBe(0);
    expect(names(each.receiver.received).sort()).toEqual([...many].sort());
    expect(stdout.match(/ 200 {2}\d+ ms/g)).toHaveLength(450);
    const again = await each.run([...words(each.receiver.url), '--once']);
    expect([again.code, each.receiver.received.length]).toEqual([0, 450]);
    await each.receiver.close();
  });

  test('waits as long as Retry-After says, and not at all for what is too long', async () => {
    const each = await desk();
    let retryAfter = 2;
    const askedAt: number[] = [];
    const front = await startFront(api.url, () => {
      askedAt.push(performance.now());
      return askedAt.length === 1 ? { status: 429, retryAfter } : undefined;
    });
    const running = await listening(each, [...words(each.receiver.url), '--url', front.url]);
    expect(running.printed()).toMatch(/asking again in 2 s\n/);
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
    await running.stop();
    askedAt.length = 0;
    retryAfter = 86_400;
    const { code, stderr } = await each.run([...words(each.receiver.url), '--url', front.url]);
    expect([code, stderr.split('\n').length, askedAt.length]).toEqual([1, 2, 1]);
    await Promise.all([front.close(), each.receiver.close()]);
  });
});
