import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import { type Received, type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { startProcess } from '../support/processes.ts';
import { stepWorker } from '../support/stepped-worker.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type DatabaseClock, putClock } from './clock/database-clock.ts';

/** An attempt that was claimed just before a change is sent by then; none may follow it. */
const onTheWireMs = 5_000;

const encryptionKey = randomBytes(32).toString('base64');
let api: TestApi;
const consumers: RecordingConsumer[] = [];
beforeEach(async () => {
  api = await startTestApi({ encryptionKey });
});
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
  await api.close();
});

interface Heard extends Received {
  at: number;
}

/** A consumer that knows when each delivery came. It refuses what is not the event's third attempt or later. */
async function listen(accepts: (heard: Heard) => boolean = () => true) {
  const heard: Heard[] = [];
  const consumer = await startConsumer((received, response) => {
    const one = { ...received, at: performance.now() };
    heard.push(one);
    response.writeHead(accepts(one) ? 200 : 500).end();
  });
  consumers.push(consumer);
  return { url: consumer.url, heard };
}

const startWorker = () =>
  startProcess({
    entry: 'worker',
    env: {
      DATABASE_URL: api.databaseUrl,
      ENCRYPTION_KEY: encryptionKey,
      WEBHOOK_TARGETS: 'any',
      WEBHOOK_RETRY_DELAYS: '0.2,0.2,0.2,0.2',
    },
  });

async function register(url: string): Promise<{ id: string; secret: string }> {
  const answer = await api.rest<{ data: { id: string; secret: string } }>('POST /v2/webhook-endpoints', {
    body: { url, events: ['product.created'] },
  });
  expect(answer.status).toBe(201);
  return answer.body.data;
}

const changeEndpoint = async (id: string, body: Record<string, unknown>) => {
  const { status } = await api.rest(`PATCH /v2/webhook-endpoints/${id}`, { body });
  expect(status).toBe(200);
  return performance.now();
};

/** Makes products until stopped: every one is an event, and each event is refused twice before it is taken. */
function keepChanging(): { stop(): Promise<number> } {
  let going = true;
  let made = 0;
  const run = async () => {
    while (going) {
      await createProduct(api.app.database, { locationId: api.locationId });
      made += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return made;
  };
  const running = run();
  const stop = () => {
    going = false;
    return running;
  };
  // A test that failed ends it, too.
  onTestFinished(async () => {
    await stop();
  });
  return { stop };
}

const count = async (where: string) => {
  const { rows } = await api.app.database.pool.query<{ count: number }>(
    `select count(*)::int as count from webhook_deliveries where ${where}`,
  );
  return rows[0]?.count ?? 0;
};

const isLate = ({ headers }: Received) => Number(headers['x-comanda-attempt']) >= 3;

describe('while deliveries and retries flow', () => {
  test('an address that is edited again and again gets nothing once it was replaced', async () => {
    const edits = trials(5, 50);
    const places = [await listen(isLate), await listen(isLate)];
    const { id } = await register(places[0]?.url ?? '');
    await startWorker();
    const changing = keepChanging();
    // For each address the times from which on it was not the endpoint's, and was again.
    const spans: { place: number; from: number; to: number }[] = [];
    let real = 0;
    let since = performance.now();
    for (let edit = 1; edit <= edits; edit += 1) {
      const current = (edit - 1) % 2;
      const before = places[current]?.heard.length ?? 0;
      await waitFor('traffic', () => (places[current]?.heard.length ?? 0) >= before + 8);
      const waiting = await count(`status in ('pending', 'failed')`);
      const at = await changeEndpoint(id, { url: places[edit % 2]?.url });
      if (waiting > 0) real += 1;
      spans.push({ place: current, from: since, to: at });
      since = at;
    }
    spans.push({ place: edits % 2, from: since, to: Number.POSITIVE_INFINITY });
    const made = await changing.stop();
    await waitFor('everything to be delivered', async () => (await count(`status <> 'delivered'`)) === 0, {
      timeoutMs: 60_000,
    });
    let late = 0;
    for (const [place, { heard }] of places.entries()) {
      const own = spans.filter((span) => span.place === place);
      for (const { at } of heard) {
        if (own.some(({ from, to }) => from - onTheWireMs <= at && at <= to)) continue;
        late += 1;
        expect(own.some(({ from, to }) => from - onTheWireMs <= at && at <= to + onTheWireMs)).toBe(true);
      }
    }
    // A last edit, after which the old address must fall silent for good.
    const quiet = places[(edits + 1) % 2]?.heard.filter(({ at }) => at > since + onTheWireMs) ?? [];
    expect(quiet).toEqual([]);
    const ids = new Set(
      places.flatMap(({ heard }) => heard.map(({ headers }) => String(headers['webhook-id']))),
    );
    expect(ids.size).toBe(made);
    expect(real).toBeGreaterThanOrEqual(edits * 0.8);
    reportFault('address edited in mid-retry', { trials: edits, real, events: made, onTheWire: late });
  }, 180_000);
});

test.each(['disabled', 'deleted'] as const)('an endpoint that is %s gets nothing more', async (how) => {
  const worker = await stepWorker({ url: api.databaseUrl, encryptionKey });
  const place = await listen(() => false);
  const { id } = await register(place.url);
  for (let made = 0; made < 12; made += 1)
    await createProduct(api.app.database, { locationId: api.locationId });
  await worker.turn();
  expect(await count(`status = 'failed'`)).toBe(12);
  if (how === 'disabled') await changeEndpoint(id, { status: 'disabled' });
  else expect((await api.rest(`DELETE /v2/webhook-endpoints/${id}`)).status).toBe(200);
  await worker.makeDue();
  await worker.turn();
  expect(place.heard).toHaveLength(12);
  expect(await count('next_attempt_at is not null or leased_by is not null')).toBe(0);
  if (how === 'deleted') return;
  await changeEndpoint(id, { status: 'active' });
  await createProduct(api.app.database, { locationId: api.locationId });
  await worker.turn();
  const ids = place.heard.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([13, 13]);
});

test('a secret rotated in mid-retry: both sign for 24 hours of the clock of the database, one after it', async () => {
  const clock: DatabaseClock = await putClock(api.databaseUrl);
  await waitFor('a connection', () => api.app.database.pool.query('select 1'));
  const place = await listen(() => false);
  const { id, secret: old } = await register(place.url);
  const worker = await stepWorker(
    { url: api.databaseUrl, encryptionKey },
    { webhookRetryDelaysSeconds: [1, 3_600, 86_400, 60] },
  );
  await createProduct(api.app.database, { locationId: api.locationId });
  await worker.turn();
  const rotated = await callRest<{ data: { secret: string } }>(
    api.url,
    `POST /v2/webhook-endpoints/${id}/rotate-secret`,
    { key: api.key.key },
  );
  const young = rotated.body.data.secret;
  const next = async (moveSeconds: number) => {
    await clock.move(moveSeconds);
    await worker.turn();
    const [last, ...others] = place.heard.slice(heard);
    heard += 1;
    if (last === undefined || others.length > 0) throw new Error('it was to be sent once');
    return last;
  };
  let heard = 1;
  const signs = (secret: string, { text, headers }: Received) => {
    try {
      new Webhook(secret).verify(text, headers as Record<string, string>);
      return true;
    } catch (error) {
      // A timestamp that the moved clock makes too new or too old is signed anyway.
      return /timestamp/i.test(String(error)) ? undefined : false;
    }
  };
  expect(place.heard[0] && signs(old, place.heard[0])).toBe(true);
  const both = await next(1);
  expect([signs(old, both), signs(young, both)]).toEqual([true, true]);
  expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2);
  const hourLater = await next(3_600);
  expect(String(hourLater.headers['webhook-signature']).split(' ')).toHaveLength(2);
  const dayLater = await next(86_400);
  expect(String(dayLater.headers['webhook-signature']).split(' ')).toHaveLength(1);
  const signature = createHmac('sha256', Buffer.from(young.slice('whsec_'.length), 'base64'))
    .update(`${dayLater.headers['webhook-id']}.${dayLater.headers['webhook-timestamp']}.${dayLater.text}`)
    .digest('base64');
  expect(dayLater.headers['webhook-signature']).toBe(`v1,${signature}`);
});
