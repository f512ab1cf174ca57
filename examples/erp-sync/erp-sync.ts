// Keeps an ERP in step with a restaurant: its orders come in, prices and stock go out. The ERP is a folder here:
//   orders/<number>.json   every order as it last was      cursor   where to read on in the feed
//   changes/<name>.json    items whose price or stock changed; removed once Comanda has them
// It may be killed at any moment and started again: nothing is lost and nothing is done twice.
//   COMANDA_URL=… COMANDA_KEY=… node erp-sync.js FOLDER
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ComandaClient,
  comandaError,
  createClient,
  type EventType,
  followEvents,
  noAnswer,
} from '@comanda/client';

/** The ERP's record of an item: `external_id` is its own number for it. */
interface Item {
  external_id: string;
  name: string;
  price: number;
  /** The quantity that came in since the last file; negative for one that went out, except by orders of Comanda. */
  moved: number;
}

const { COMANDA_URL: url = '', COMANDA_KEY: key = '' } = process.env;
const folder = process.argv[2] ?? 'erp';
const comanda = createClient({ url, key, retries: 5, timeoutMs: 60_000 });
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
process.once('SIGINT', () => ending.abort());

for (const name of ['orders', 'changes']) await mkdir(join(folder, name), { recursive: true });
await Promise.all([pullOrders(comanda, ending.signal), pushChanges(comanda, ending.signal)]);

/** Orders, from the feed. The cursor is kept after the orders before it: after a kill some come again, and are the same. */
async function pullOrders({ orders, events }: ComandaClient, signal: AbortSignal): Promise<void> {
  const types: EventType[] = ['order.created', 'order.updated', 'order.status_changed'];
  const after = await readText(join(folder, 'cursor'));
  const onCursor = (cursor: string) => writeWhole(join(folder, 'cursor'), cursor);
  for await (const event of followEvents({ events }, { after, types, everyMs: 500, signal, onCursor })) {
    if (
      event.type !== 'order.created' &&
      event.type !== 'order.updated' &&
      event.type !== 'order.status_changed'
    )
      continue;
    const { id } = event.data;
    // As it is now, and not as it was then: so it does not matter how often, or how late, an event is read.
    const order = await patiently(signal, () => orders.get.query({ id }, { signal }));
    if (order !== undefined)
      await writeWhole(join(folder, 'orders', `${order.number}.json`), JSON.stringify(order));
  }
}

/** Prices by a job, moves of stock at once: a count would give back what orders took since. The keys are made of the file's name: a repeat after a kill is the same call. */
async function pushChanges({ syncJobs, stock }: ComandaClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [name] = (await readdir(join(folder, 'changes'))).filter((file) => file.endsWith('.json')).sort();
    if (name === undefined) {
      await sleep(500, undefined, { signal }).catch(() => {});
      continue;
    }
    const items = JSON.parse((await readText(join(folder, 'changes', name))) ?? '[]') as Item[];
    const products = items.map(({ external_id, name: title, price }) => ({
      external_id,
      name: title,
      price,
    }));
    const job = await patiently(signal, () =>
      syncJobs.startProducts.mutate({ idempotencyKey: `prices ${name}`, items: products }, { signal }),
    );
    if (job === undefined || !('job_id' in job)) continue;
    for (let status = 'queued'; status === 'queued' || status === 'processing'; ) {
      const read = await patiently(signal, () => syncJobs.get.query({ id: job.job_id }, { signal }));
      if (read === undefined) return;
      for (const { external_id, message } of read.errors) console.warn(`${name}: ${external_id}: ${message}`);
      status = read.status;
      await sleep(200);
    }
    const moves = items.flatMap(({ external_id, moved }) =>
      moved === 0 ? [] : [{ external_id, adjust: moved }],
    );
    if (moves.length > 0) {
      const done = await patiently(signal, () =>
        stock.sync.mutate({ idempotencyKey: `stock ${name}`, items: moves }, { signal }),
      );
      if (done === undefined) return;
      for (const { index, message } of done.errors)
        console.warn(`${name}: ${moves[index]?.external_id}: ${message}`);
    }
    await rm(join(folder, 'changes', name));
  }
}

/** Calls until there is an answer, which the client has tried five times by then; undefined when it ends first. */
async function patiently<Answer>(
  signal: AbortSignal,
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  while (!signal.aborted) {
    try {
      return await call();
    } catch (error) {
      const refusal = comandaError(error);
      const passes =
        refusal === undefined ? noAnswer(error) !== undefined : [429, 503].includes(refusal.httpStatus);
      if (!passes) throw error;
      console.warn(`again in a while: ${refusal?.reason ?? noAnswer(error)}`);
      await sleep(1_000 * (refusal?.retryAfterSeconds ?? 5), undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** Whole or not at all, whenever it is killed. */
async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
