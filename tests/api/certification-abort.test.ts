import { startWorker } from '@comanda/worker';
import { describe, expect, it } from 'vitest';
import { Certification } from '../../packages/api/src/resources/certifications/schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { waitFor } from '../support/wait.ts';

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));

async function openSandbox() {
  const { locationId, token: key, rest } = await api.place({ location: { sandbox: true } });
  const start = async (body: object = {}) =>
    dataOf(await rest('POST /v2/certifications', { body }), 202, Certification);
  const abort = async (id: string) =>
    dataOf(await rest(`POST /v2/certifications/${id}/abort`), 200, Certification);
  const sql = async (text: string, values: unknown[]) => api.sql<Record<string, unknown>>(text, values);
  return { locationId, key, rest, start, abort, sql };
}

describe('a start', () => {
  it.each([
    [{ does: { places_orders: false } }, 'does'],
    [{ roles: 'erp' }, 'roles'],
    [{ role: 'till' }, 'role'],
    [{ places_order: true }, 'places_order'],
  ])('with %o is refused, and begins none', async (body, field) => {
    const { rest, key } = await openSandbox();
    const answer = await rest<{ error: { message: string } }>('POST /v2/certifications', { body });
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining(field)]);
    const called = api.client(key).certifications.start.mutate(body as never);
    await expect(called).rejects.toMatchObject({ data: { httpStatus: 422 } });
    expect((await rest('GET /v2/certifications')).body).toMatchObject({ data: [] });
  });

  it('takes a role, and explicit abilities take precedence over it', async () => {
    const { start } = await openSandbox();
    expect(await start({ role: 'erp', reads_lists: true, brings_catalog: false })).toMatchObject({
      role: 'erp',
      does: {
        ...{ receives_webhooks: true, takes_orders: true, reads_lists: true },
        ...{ reads_catalog: false, places_orders: false, brings_catalog: false },
      },
    });
  });
});

describe('an abort', () => {
  it('ends a run that waits, once', async () => {
    const { rest, start, abort } = await openSandbox();
    const { id } = await start();
    const ended = await abort(id);
    expect(ended).toMatchObject({ status: 'aborted', verdict: 'Aborted, as was asked.' });
    expect(ended).toHaveProperty('completed_at');
    const again = await rest(`POST /v2/certifications/${id}/abort`);
    expect([again.status, again.headers.get('x-error-reason')]).toEqual([409, 'certification_ended']);
    expect((await rest('POST /v2/certifications/none/abort')).status).toBe(404);
    const other = await openSandbox();
    expect((await other.rest(`POST /v2/certifications/${id}/abort`)).status).toBe(404);
    expect((await start()).status).toBe('queued');
  });

  it('is not lost to what the worker writes of the run at the same moment', async () => {
    const { start, abort, sql } = await openSandbox();
    const { id } = await start();
    const worker = await api.pool.connect();
    try {
      await worker.query('begin');
      await worker.query('update certifications set alive_at = clock_timestamp() where id = $1', [id]);
      const aborting = abort(id);
      await waitFor('the abort to wait for the row', async () => {
        const waiting = await sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%certifications r%for update%'`,
          [],
        );
        return waiting.length > 0;
      });
      await worker.query('commit');
      expect(await aborting).toMatchObject({ status: 'aborted', verdict: 'Aborted, as was asked.' });
    } finally {
      worker.release();
    }
  });

  it.each([
    ['puts the price back that the run set', undefined],
    ['leaves a price that another caller has set meanwhile', 100],
  ])('ends every check of a run under way, and %s', async (_, price) => {
    const { locationId, rest, start, abort, sql } = await openSandbox();
    expect((await rest('POST /v2/sandbox/reset')).status).toBe(200);
    const worker = await startWorker({
      databaseUrl: api.databaseUrl,
      encryptionKey,
      webhookTimeoutMs: 10_000,
      webhookRetryDelaysSeconds: [0, 0, 0, 0],
      webhookTargets: 'any',
      webhookAllowCidrs: [],
      logLevel: 'silent',
    });
    try {
      const { id } = await start({ receives_webhooks: false });
      const { product, was } = await waitFor('a changed price', async () => {
        const [row] = await sql(
          `select changed ->> 'product_id' as product, (changed ->> 'was')::float8 as was from certifications
           where location_id = $1 and changed is not null`,
          [locationId],
        );
        return row as { product: string; was: number } | undefined;
      });
      const priceOf = async () =>
        (await sql('select price::float8 as price from products where id = $1', [product]))[0]?.price;
      expect(await priceOf()).toBe(was + 1);
      await waitFor('a check that is played', async () => {
        const { data } = (await rest<{ data: Certification }>(`GET /v2/certifications/${id}`)).body;
        return data.checks.some(({ status }) => status === 'running');
      });
      if (price !== undefined) await rest(`PATCH /v2/products/${product}`, { body: { price } });
      const ended = await abort(id);
      const left = ended.checks.filter(({ status }) => status !== 'not_applicable');
      expect(left.length).toBeGreaterThan(4);
      for (const { status, reason } of left)
        expect([status, reason]).toEqual(['not_played', 'Aborted, as was asked.']);
      expect(ended).not.toHaveProperty('waiting_for');
      expect(await priceOf()).toBe(price ?? was);
    } finally {
      await worker.stop();
    }
    // The run learns of it by itself, and writes nothing more.
    expect((await rest('GET /v2/certifications')).body).toMatchObject({
      data: [{ status: 'aborted', verdict: 'Aborted, as was asked.' }],
    });
  });

  it.each([
    ['is active again', undefined, 'active'],
    ['stays disabled where its owner has disabled it meanwhile', { status: 'disabled' }, 'disabled'],
    ['is active again where its owner has changed something else', { events: ['order.created'] }, 'active'],
  ])('an endpoint that the run holds %s', async (_, change, wanted) => {
    const { locationId, rest, start, abort, sql } = await openSandbox();
    const made = await rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
      body: { url: 'http://127.0.0.1:9/hook', events: ['catalog.updated'] },
    });
    const endpoint = made.body.data.id;
    const { id } = await start();
    await sql(
      `update certifications set status = 'running', held_endpoint_id = $2, alive_at = now() where location_id = $1`,
      [locationId, endpoint],
    );
    await sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [endpoint]);
    if (change !== undefined) await rest(`PATCH /v2/webhook-endpoints/${endpoint}`, { body: change });
    await abort(id);
    expect((await rest(`GET /v2/webhook-endpoints/${endpoint}`)).body).toMatchObject({
      data: { status: wanted },
    });
  });
});
