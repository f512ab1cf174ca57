import { verifyWebhook } from '@comanda/client/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CertificationPage } from '../../packages/api/src/resources/certifications/schema.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { startConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { parseStrict } from '../support/strict.ts';
import { thrownBy } from '../support/thrown.ts';
import { waitFor } from '../support/wait.ts';
import { begin, openSandbox as open, useCertifyingApi } from './certified-sandbox.ts';

const api = useCertifyingApi();

async function openSandbox(more?: Parameters<typeof open>[1]) {
  const sandbox = await open(api, more);
  const running = (id: string, check: string) =>
    waitFor(`${check} to be played`, async () => (await sandbox.read(id)).waiting_for?.check === check);
  const calls = () =>
    api.sql`select operation, request, status, fault from internal.certification_calls
      where location_id = ${sandbox.locationId} order by number`;
  return { ...sandbox, running, calls };
}

describe('a certification', () => {
  it('is refused to the key of a live location, with a sentence of its own', async () => {
    const answer = await api.rest('POST /v2/certifications', { body: {} });
    expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([403, 'sandbox_only']);
    const message = expect.stringMatching(/^Only a sandbox is certified/);
    expect(answer.body.error).toMatchObject({ message });
  });

  it('waits for a worker, is one at a time of its sandbox, and is listed newest first', async () => {
    const [one, other] = [await openSandbox(), await openSandbox()];
    const started = await one.start({ places_orders: false });
    expect(started).toMatchObject({
      status: 'queued',
      checks: [],
      does: {
        receives_webhooks: true,
        reads_catalog: true,
        reads_lists: true,
        places_orders: false,
        takes_orders: false,
        brings_catalog: false,
      },
    });
    const second = await one.rest('POST /v2/certifications', { body: {} });
    expect([second.status, second.headers.get('x-error-reason')]).toEqual([409, 'certification_running']);
    await other.start();
    const { data } = parseStrict(CertificationPage, (await one.rest('GET /v2/certifications')).body);
    expect(data).toEqual([started]);
    expect((await other.rest(`GET /v2/certifications/${started.id}`)).status).toBe(404);
  });

  it('is aborted when its worker stops, and by another worker when that one died; never passed', async () => {
    const { locationId, rest, start, read, running } = await openSandbox({ filled: true });
    const worker = await begin(api);
    const stopped = await start({ receives_webhooks: false });
    await running(stopped.id, 'catalog_pulled');
    await worker.stop();
    const verdict = expect.stringMatching(/^Aborted: the service was restarted/);
    const aborted = { status: 'aborted', verdict };
    expect(await read(stopped.id)).toMatchObject(aborted);

    const died = await start();
    const id = await makeEndpoint({ rest }, ['catalog.updated']);
    await api.sql`update certifications set status = 'running', held_endpoint_id = ${id}, alive_at = now() - interval '19 seconds'
      where location_id = ${locationId} and status = 'queued'`;
    await api.sql`update webhook_endpoints set status = 'disabled' where location_id = ${locationId}`;
    await sweep(api.app.database, undefined);
    expect((await read(died.id)).status).toBe('running');
    await api.sql`update certifications set alive_at = now() - interval '21 seconds'
      where location_id = ${locationId} and status = 'running'`;
    await sweep(api.app.database, undefined);
    expect(await read(died.id)).toMatchObject(aborted);
    expect(await read(died.id)).not.toHaveProperty('waiting_for');
    // The endpoint that it held works again.
    const { body } = await rest(`GET /v2/webhook-endpoints/${id}`);
    expect(body).toMatchObject({ data: { status: 'active' } });
  });

  it('notes the calls of its sandbox while it runs, those over tRPC too, and none of another or of its followers', async () => {
    const { rest, start, read, running, calls, key } = await openSandbox({ filled: true });
    const other = await openSandbox();
    await rest('GET /v2/products');
    const worker = await begin(api);
    const { id } = await start({ receives_webhooks: false });
    await running(id, 'catalog_pulled');
    await other.rest('GET /v2/products');
    await read(id);
    await rest('GET /v2/orders?limit=3');
    await rest('GET /v2/orders/none');
    await thrownBy(api.client(key).categories.get.query({ id: 'none' }));
    await waitFor('the last call', async () => (await calls())[2]?.status === 404);
    expect(await calls()).toEqual([
      { operation: 'orders.list', request: 'GET /v2/orders?limit=3', status: 200, fault: null },
      { operation: 'orders.get', request: 'GET /v2/orders/none', status: 404, fault: null },
      { operation: 'categories.get', request: 'query categories.get', status: 404, fault: null },
    ]);
    await worker.stop();
    expect(await calls()).toEqual([]);
  });

  it('fails what needs an endpoint, where there is none, and says what to do', async () => {
    const { start, read } = await openSandbox({ filled: true });
    await begin(api);
    const { id } = await start({ reads_catalog: false, reads_lists: false, places_orders: false });
    const ended = await waitFor('its end', async () => {
      const report = await read(id);
      return report.completed_at !== undefined && report;
    });
    expect(ended).toMatchObject({
      status: 'failed',
      verdict: expect.stringMatching(
        /^0 of 3 checks passed\. 2 were not played\. 9 do not apply: it does not read the catalog, nor /,
      ),
    });
    const [first, ...others] = ended.checks.filter(({ status }) => status !== 'not_applicable');
    const reason = expect.stringMatching(/register one\.$/);
    expect(first).toMatchObject({ check: 'endpoint_reached', status: 'failed', reason });
    expect(others.map(({ status }) => status)).toEqual(['not_played', 'not_played']);
  });
});

it('a certified endpoint of v1 is sent the body of v2, or other text than its deliveries', async () => {
  const { rest, start, read } = await openSandbox({ filled: true });
  let secret = '';
  const consumer = await startConsumer(({ headers, text }, response) => {
    const accepted = verifyWebhook(secret, headers, text).then(
      () => 200,
      () => 400,
    );
    accepted.then((status) => response.writeHead(status).end());
  });
  const made = await rest('POST /v1/webhooks', { body: { url: consumer.url, events: ['catalog.updated'] } });
  ({ secret } = (made.body as { data: { secret: string } }).data);
  onTestFinished(() => consumer.close());
  await begin(api);
  const { id } = await start({ reads_catalog: false, reads_lists: false, places_orders: false });
  const played = await waitFor(
    'forged events to be refused',
    async () =>
      (await read(id)).checks.find(({ check, status }) => check === 'forged_refused' && status === 'passed'),
    { timeoutMs: 60_000 },
  );
  const [change, ...sent] = played.done.map((text) => /catalog\.updated (\S{36})/.exec(text)?.[1] ?? text);
  const textOf = (event = '') => consumer.received.find(({ body }) => body.id === event)?.text;
  const delivered = await waitFor('the delivery of the change', () => textOf(change));
  expect(JSON.parse(delivered)).toMatchObject({ id: change, api_version: 'v1' });
  // Two that are refused, and one that is rightly signed.
  expect(sent).toHaveLength(3);
  for (const each of sent) expect(textOf(each)).toBe(delivered.replace(change ?? '', each));
}, 90_000);

it('a live location pays nothing: its calls run no statement more', async () => {
  const { token: key } = await api.place();
  await api.rest('GET /v2/categories', { key });
  const ran: string[] = [];
  const { database } = api.app;
  const run = database.run;
  database.run = (statement, values) => {
    ran.push(statement.name);
    return run(statement, values);
  };
  onTestFinished(() => void Object.assign(database, { run }));
  await api.rest('GET /v2/categories', { key });
  expect(ran).not.toContain('find_running_certification');
  await (await openSandbox()).rest('GET /v2/categories');
  expect(ran).toContain('find_running_certification');
});
