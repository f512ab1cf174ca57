import { describe, expect, it } from 'vitest';
import type { Certification } from '../../packages/api/src/resources/certifications/schema.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { beginIn } from '../support/session.ts';
import { waitFor } from '../support/wait.ts';
import { begin, openSandbox as open, useCertifyingApi } from './certified-sandbox.ts';

const api = useCertifyingApi();
const openSandbox = (more?: Parameters<typeof open>[1]) => open(api, more);

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
        receives_webhooks: true,
        takes_orders: true,
        reads_lists: true,
        reads_catalog: false,
        places_orders: false,
        brings_catalog: false,
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
    const { start, abort } = await openSandbox();
    const { id } = await start();
    const worker = await beginIn(api.pool);
    await worker.query('update certifications set alive_at = clock_timestamp() where id = $1', [id]);
    const aborting = abort(id);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%certifications r%for update%'`;
    await waitFor('the abort to wait for the row', async () => (await api.sql(waiting)).length > 0);
    await worker.query('commit');
    expect(await aborting).toMatchObject({ status: 'aborted', verdict: 'Aborted, as was asked.' });
  });

  it.each([
    ['puts the price back that the run set', undefined],
    ['leaves a price that another caller has set meanwhile', 100],
  ])('ends every check of a run under way, and %s', async (_, price) => {
    const { locationId, rest, start, abort } = await openSandbox({ filled: true });
    const worker = await begin(api);
    const { id } = await start({ receives_webhooks: false });
    const changed = () =>
      api.sql<{
        product: string;
        was: number;
      }>`select changed ->> 'product_id' as product, (changed ->> 'was')::float8 as was
        from certifications where location_id = ${locationId} and changed is not null`;
    const { product, was } = await waitFor('a changed price', async () => (await changed())[0]);
    const priceOf = async () =>
      (await api.sql`select price::float8 as price from products where id = ${product}`)[0]?.price;
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
    await worker.stop();
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
    const { locationId, rest, start, abort } = await openSandbox();
    const endpoint = await makeEndpoint({ rest }, ['catalog.updated']);
    const { id } = await start();
    await api.sql`update certifications set status = 'running', held_endpoint_id = ${endpoint}, alive_at = now()
      where location_id = ${locationId}`;
    await api.sql`update webhook_endpoints set status = 'disabled' where id = ${endpoint}`;
    if (change !== undefined) await rest(`PATCH /v2/webhook-endpoints/${endpoint}`, { body: change });
    await abort(id);
    const { body } = await rest(`GET /v2/webhook-endpoints/${endpoint}`);
    expect(body).toMatchObject({ data: { status: wanted } });
  });
});
