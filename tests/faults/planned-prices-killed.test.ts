import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addJob } from '@comanda/db';
import { expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { type Hand, openHand } from '../support/by-hand.ts';
import { createChance } from '../support/chance.ts';
import { comeDue, outcomesOf, plannedPrices, readPriceChange } from '../support/price-changes.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { reportFault, seedOf, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';

// Two workers apply planned prices while people and programs change and delete products, and are killed in the middle.

const seed = seedOf(11);
const chance = createChance(seed);
const plansOfRound = 4;
const productsOfPlan = 8;

/** What happens to a product: before its price change is due, or while that is applied. */
const deeds = [
  'nothing',
  'before',
  'back',
  'by hand',
  'same',
  'sync',
  'deleted',
  'beside',
  'deleted beside',
] as const;
type Deed = (typeof deeds)[number];
interface Planned {
  id: string;
  externalId: string;
  deed: Deed;
  plan: string;
}

it('planned prices are applied once or skipped with the reason, whoever else writes and whenever workers are killed', async () => {
  const encryptionKey = randomBytes(32).toString('base64');
  const api = await startTestApi({ encryptionKey });
  const hand = await openHand(api.databaseUrl);
  const workers = new Set<TestProcess>();
  const startWorker = async () => {
    const env = { DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey };
    const worker = await startProcess({ entry: 'worker', env, readyTimeoutMs: 180_000 });
    workers.add(worker);
    return worker;
  };
  const rounds = trials(3, 20);
  let [real, underWay] = [0, 0];
  const products: Planned[] = [];
  try {
    await Promise.all([startWorker(), startWorker()]);
    for (let round = 0; round < rounds; round++) {
      const planned = await plan(api, round);
      products.push(...planned);
      for (const product of planned) await changeBefore(api, hand, product);
      await waitFor('the syncs', async () => (await unfinishedSyncs(api)) === 0, { timeoutMs: 60_000 });
      // The applications stop with their prices written, before these are captured.
      await hand.sql('begin');
      await hand.sql('lock table internal.captured_changes in exclusive mode');
      await queueTwice(api, planned);
      await comeDue(api);
      const beside = Promise.all(planned.map((product) => changeBeside(api, product)));
      await waitFor('applications to stop', async () => (await applying(api)) > 0, { timeoutMs: 60_000 });
      // In turns the worker dies at the lock, and a moment after it.
      if (round % 2 === 1) {
        await hand.sql('rollback');
        await sleep(chance.between(0, 50));
      }
      const hit = await unfinished(api);
      underWay += hit;
      real += hit > 0 ? 1 : 0;
      for (const worker of workers) await worker.stop('SIGKILL');
      workers.clear();
      // PostgreSQL may finish the statement of a killed worker. In every other round its sessions are ended, too.
      if (round % 2 === 0) {
        await hand.sql(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'comanda-worker'`);
        await hand.sql('rollback');
      }
      await Promise.all([startWorker(), startWorker()]);
      await beside;
      await waitFor('every plan to end', async () => (await unfinished(api)) === 0, { timeoutMs: 120_000 });
    }
    for (const id of new Set(products.map((product) => product.plan)))
      await requireOutcome(
        api,
        id,
        products.filter((product) => product.plan === id),
      );
    reportFault('workers killed (-9) while they apply planned prices', {
      trials: rounds,
      real,
      seed,
      'plans that were under way': underWay,
    });
    expect(real, `seed ${seed}`).toBeGreaterThanOrEqual(Math.ceil(rounds / 2));
  } finally {
    await Promise.all([...workers].map((worker) => worker.stop('SIGKILL')));
    await hand.close();
    await api.close();
  }
}, 600_000);

async function plan(api: TestApi, round: number): Promise<Planned[]> {
  const all: Planned[] = [];
  for (let n = 0; n < plansOfRound; n++) {
    const deedsOfPlan = Array.from({ length: productsOfPlan }, () => chance.pick([...deeds]));
    const category_id = await api.make.category({ name: `Category ${round}-${n}` });
    const products: Omit<Planned, 'plan'>[] = [];
    for (const [index, deed] of deedsOfPlan.entries()) {
      const externalId = `${round}-${n}-${index}`;
      const id = await api.make.product({ externalId, price: 10, categoryIds: [category_id] });
      products.push({ id, externalId, deed });
    }
    const prices = products.map(({ id }) => ({ product_id: id, price: 11 }));
    const made = await plannedPrices(api, n % 2 === 0 ? { prices } : { category_id, percent: 10 });
    all.push(...products.map((product) => ({ ...product, plan: made.id })));
  }
  return all;
}

async function changeBefore(api: TestApi, hand: Hand, { id, externalId, deed }: Planned): Promise<void> {
  const { products, syncJobs } = api.client();
  if (deed === 'before' || deed === 'back') await products.update.mutate({ id, price: 12 });
  if (deed === 'back' || deed === 'same') await products.update.mutate({ id, price: 10 });
  if (deed === 'by hand') await hand.sql`update products set price = 12 where id = ${id}`;
  if (deed === 'deleted') await products.delete.mutate({ id });
  if (deed === 'sync')
    await syncJobs.startProducts.mutate({
      idempotencyKey: externalId,
      items: [{ external_id: externalId, name: 'Synced', price: 12 }],
    });
}

async function changeBeside(api: TestApi, { id, deed }: Planned): Promise<void> {
  const { products } = api.client();
  const until = async (call: () => Promise<unknown>) => {
    // A call whose session was ended, or that waited too long, is repeated.
    await waitFor(
      'a call',
      () =>
        call().then(
          () => true,
          () => false,
        ),
      { timeoutMs: 60_000 },
    );
  };
  if (deed === 'beside') await until(() => products.update.mutate({ id, price: 12 }));
  if (deed === 'deleted beside') await until(() => products.delete.mutate({ id }));
}

/** Two more jobs for each plan: two workers take one plan at once. */
async function queueTwice(api: TestApi, products: readonly Planned[]): Promise<void> {
  for (const priceChangeId of new Set(products.map((product) => product.plan)))
    for (let more = 0; more < 2; more++)
      await addJob(
        api.app.database,
        'apply-price-change',
        { locationId: api.locationId, priceChangeId },
        { jobKey: `apply-price-change:${priceChangeId}:${more}`, runAt: new Date(Date.now() + 86_400_000) },
      );
}

const applying = async (api: TestApi): Promise<number> =>
  (
    await api.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and application_name = 'comanda-worker' and query like '%apply_price_change%'`
  ).length;

const unfinished = async (api: TestApi): Promise<number> =>
  (await api.sql`select from price_changes where status = 'planned'`).length;

const unfinishedSyncs = async (api: TestApi): Promise<number> =>
  (await api.sql`select from sync_jobs where status in ('queued', 'processing')`).length;

/** The outcomes that each deed allows. */
const allowed: Record<Deed, readonly string[]> = {
  nothing: ['applied'],
  same: ['applied'],
  before: ['price_changed'],
  back: ['price_changed'],
  'by hand': ['price_changed'],
  sync: ['price_changed'],
  deleted: ['product_deleted'],
  beside: ['applied', 'price_changed'],
  'deleted beside': ['applied', 'product_deleted'],
};

async function requireOutcome(api: TestApi, id: string, products: readonly Planned[]): Promise<void> {
  const change = await readPriceChange(api, id);
  const outcomes = outcomesOf(change);
  const [plan] = await api.sql<{
    request: string;
  }>`select request_id as request from price_changes where id = ${id}`;
  const about = `plan ${id}, seed ${seed}`;
  for (const product of products) {
    const outcome = outcomes[product.id] ?? '';
    expect(allowed[product.deed], `${product.deed} of ${about}`).toContain(outcome);
    // The history of the product has the change as often as it was made.
    const written =
      await api.sql`select from audit_entries where relation = 'products' and operation = 'update'
      and resource_ids @> array[${product.id}::uuid] and request_id = ${plan?.request ?? ''}`;
    expect(written.length, `${product.deed} of ${about}`).toBe(outcome === 'applied' ? 1 : 0);
    const [row] = await api.sql<{
      price: number;
    }>`select price::float8 from products where id = ${product.id}`;
    const expected = {
      nothing: 11,
      same: 11,
      before: 12,
      back: 10,
      'by hand': 12,
      sync: 12,
      beside: 12,
      deleted: undefined,
      'deleted beside': undefined,
    };
    expect(row?.price, `${product.deed} of ${about}`).toBe(expected[product.deed]);
  }
  const applied = Object.values(outcomes).filter((outcome) => outcome === 'applied').length;
  expect(change).toMatchObject({
    status: applied > 0 ? 'applied' : 'skipped',
    applied_prices: applied,
    skipped_prices: products.length - applied,
  });
}
