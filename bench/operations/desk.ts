import { createLocation, issueCode, issueKey } from '@comanda/api/services';
import pg from 'pg';
import { type Call, get, use, write } from './call.ts';
import { categoryOf, idOf, inLanes, productOf, type Stage, unused } from './stage.ts';

/** The operations of the desk, the app and sandboxes, in addition to those of integrations. */
export const deskCalls: readonly Call[] = [
  get('list', 'keys.list', () => query('keys.list', { limit: 50 }), { of: '50', before: fiftyKeys }),
  get('list', 'audit.list', () => query('audit.list', { limit: 50 }), { of: '50', before: fiftyKeys }),
  get('read', 'orders.overview', ({ ids }) => query('orders.overview', { id: ids.order })),
  ...certificationReads(),
  use('seldom write', 'deliveries.retry', deliveries, (id) => ({
    path: '/trpc/deliveries.retry',
    body: { id },
  })),
  use('batch', 'syncJobs.retry', failedJobs, (id) => ({ path: '/trpc/syncJobs.retry', body: { id } }), {
    of: '1 product, the job included',
    most: 100,
  }),
  use('seldom write', 'audit.undo', handEdits, (id) => ({ path: '/trpc/audit.undo', body: { id } }), {
    most: 100,
  }),
  use(
    'seldom write',
    'appCodes.redeem',
    ({ setup, shop }, count) =>
      inLanes(count, async () => (await issueCode(setup.comanda, { location_id: shop.locationId })).code),
    (code) => ({ path: '/trpc/appCodes.redeem', body: { code } }),
  ),
  // Of several at one sandbox each is done when the first is: every lane has its own.
  {
    ...write('whole', 'POST /v2/sandbox/reset', () => ({ path: '/v2/sandbox/reset' }), {
      of: 'the demo data',
    }),
    most: 8,
    calls: 24,
    async prepare(stage) {
      const keys = await sandboxesOf(stage);
      return (at) => ({ method: 'POST', path: '/v2/sandbox/reset', key: keys[at % keys.length]?.key ?? '' });
    },
  },
];

const query = (name: string, input: object) =>
  `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`;

// Each making is an entry of the audit, too.
function fiftyKeys({ client }: Stage): Promise<unknown> {
  return inLanes(50, () => client.keys.create.mutate({ name: unused('Key'), permissions: ['orders:read'] }));
}

/** Of the given endpoint, of which nothing is on its way. */
async function deliveries({ setup, shop, ids }: Stage, count: number): Promise<string[]> {
  const { rows } = await setup.comanda.pool.query<{ id: string }>(
    `select distinct on (event_id) id from webhook_deliveries
     where location_id = $1 and endpoint_id = $2 and status = 'delivered' order by event_id, id desc limit $3`,
    [shop.locationId, ids.endpoint, count],
  );
  if (rows.length < count) throw new Error(`${rows.length} of ${count} deliveries to retry`);
  return rows.map(({ id }) => id);
}

/** As a fault leaves them: with their items, of which none was applied. */
async function failedJobs({ setup, shop }: Stage, count: number): Promise<string[]> {
  const { rows } = await setup.comanda.pool.query<{ id: string }>(
    `insert into sync_jobs (location_id, mode, items, total_items, status, error, completed_at)
     select $1, 'upsert', jsonb_build_array(item), 1, 'failed', 'bench', now() from jsonb_array_elements($2::jsonb) item
     returning id`,
    [shop.locationId, JSON.stringify(Array.from({ length: count }, () => productOf('again')))],
  );
  return rows.map(({ id }) => id);
}

/** Manual edits at psql, a category each: a later edit of the same would prevent an undo. */
async function handEdits({ setup, shop, send }: Stage, count: number): Promise<string[]> {
  const categories = await inLanes(count, async () =>
    idOf(await send({ method: 'POST', path: '/v2/categories', body: categoryOf() })),
  );
  const hand = new pg.Client({ connectionString: setup.comandaUrl, application_name: 'psql' });
  await hand.connect();
  try {
    for (const id of categories)
      await hand.query('update categories set priority = 2 where location_id = $1 and id = $2', [
        shop.locationId,
        id,
      ]);
    const { rows } = await hand.query<{ id: string }>(
      `select id from audit_entries where location_id = $1 and actor_kind = 'database'
       order by created_at desc, id desc limit $2`,
      [shop.locationId, count],
    );
    return rows.map(({ id }) => id);
  } finally {
    await hand.end();
  }
}

interface Sandbox {
  locationId: string;
  key: string;
}

const sandboxes = new WeakMap<Stage, Promise<Sandbox[]>>();

/** Eight sandboxes of the stage, made when they are first asked for. */
function sandboxesOf(stage: Stage): Promise<Sandbox[]> {
  const known = sandboxes.get(stage) ?? inLanes(8, () => makeSandbox(stage));
  sandboxes.set(stage, known);
  return known;
}

async function makeSandbox({ setup: { comanda } }: Stage): Promise<Sandbox> {
  const { id } = await createLocation(comanda, {
    ...{ name: unused('Sandbox'), timezone: 'America/Montevideo', currency: 'UYU', sandbox: true },
  });
  const limits = { per_minute: 1_000_000, monthly: 1_000_000_000 };
  const { key } = await issueKey(comanda, { name: 'bench', permissions: ['*'], location_id: id, ...limits });
  return { locationId: id, key };
}

/** Fifty that have ended: one that runs would be played meanwhile. */
function certificationReads(): Call[] {
  const ended = async (stage: Stage) => {
    const [sandbox] = await sandboxesOf(stage);
    if (sandbox === undefined) throw new Error('there is no sandbox');
    const { rows } = await stage.setup.comanda.pool.query<{ id: string }>(
      `insert into certifications (location_id, id, does, status, completed_at)
       select $1, uuid_v7(), '{}', 'passed', now() from generate_series(1, 50) returning id`,
      [sandbox.locationId],
    );
    return { key: sandbox.key, id: rows[0]?.id ?? '' };
  };
  return [
    {
      ...{ kind: 'list', operation: 'GET /v2/certifications', of: '50' },
      async prepare(stage) {
        const { key } = await ended(stage);
        return () => ({ method: 'GET', path: '/v2/certifications?limit=50', key });
      },
    },
    {
      ...{ kind: 'read', operation: 'GET /v2/certifications/{id}' },
      async prepare(stage) {
        const { key, id } = await ended(stage);
        return () => ({ method: 'GET', path: `/v2/certifications/${id}`, key });
      },
    },
  ];
}
