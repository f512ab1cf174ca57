import { randomUUID } from 'node:crypto';
import type { ComandaClient } from '@comanda/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaIn } from '../../packages/api/src/families.ts';
import { productNames } from '../../packages/api/src/resources/bulk/named-products.schema.ts';
import {
  CatalogCategory,
  CatalogItem,
  CatalogProduct,
  CatalogSubselection,
} from '../../packages/api/src/resources/catalog/schema.ts';
import {
  SyncedCategory,
  SyncedItem,
  SyncedProduct,
  SyncedSubselection,
} from '../../packages/api/src/resources/catalog/sync.schema.ts';
import { type StockSync, StockSyncItem } from '../../packages/api/src/resources/stock/schema.ts';
import { ProductSyncItem } from '../../packages/api/src/resources/sync-jobs/schema.ts';
import { operations } from '../support/documented.ts';
import { useSteppedApi } from '../support/published.ts';
import { matching, shownOf, shownWith, valueFor } from './field-values.ts';
import { type Kitchen, openKitchen } from './kitchen.ts';

// Every field of an entry of a batch is kept, shown, foreseen by a dry run and published. Made of the schemas: a new
// field is held to it by itself.

type Entry = Record<string, unknown>;
interface Foreseen {
  changes?: { action: string; changes: { field: string }[] }[] | undefined;
}

/** A kind of entry of a batch. */
interface Kind {
  name: string;
  entry: z.ZodObject;
  /** Its identifier and its child rows: the latter are kinds of their own. */
  apart: readonly string[];
  /** An entry without anything that it does not need. */
  least: Entry;
  /** Sends a batch with that one entry, and waits until it is applied. */
  send(comanda: ComandaClient, entry: Entry, dryRun?: true): Promise<Foreseen>;
  /** The entry as it is read, `undefined` when there is none. */
  read(comanda: ComandaClient): Promise<unknown>;
  /** The catalog's view of one. */
  inCatalog?: z.ZodObject;
  /** The events that show a field, or none where `catalog.updated` alone is published. */
  events(field: string): readonly string[];
}

const own = { external_id: 'of-batch', name: 'Of batch' };
const product = { ...own, price: 1 };
const choice = { ...own, min_selection: 0, max_selection: 50, items: [] };

const eventsOfProduct = (field: string) =>
  field === 'stock' ? ['stock.updated'] : ['product.created', 'product.updated'];
const productOf = async (comanda: ComandaClient) => {
  const { data } = await comanda.products.list.query({ limit: 200, include: ['tax'] });
  return data.find(({ external_id }) => external_id === own.external_id);
};
const inTree = async (comanda: ComandaClient) => {
  const { categories } = await comanda.catalog.get.query();
  const products = categories.flatMap((category) => category.products);
  return products.find(({ external_id }) => external_id === own.external_id)?.subselections[0];
};
const sendTree = (comanda: ComandaClient, category: Entry, dryRun?: true) =>
  comanda.catalog.sync.mutate({
    categories: [{ external_id: 'around', name: 'Around', ...category }] as SyncedCategory[],
    ...(dryRun && { dry_run: true }),
  });

const rows: readonly Kind[] = [
  {
    name: 'items of a products job',
    entry: ProductSyncItem,
    apart: ['external_id'],
    least: product,
    events: eventsOfProduct,
    async send(comanda, entry, dryRun) {
      const batch = { items: [entry] as ProductSyncItem[], idempotencyKey: randomUUID() };
      if (dryRun) return comanda.syncJobs.startProducts.mutate({ ...batch, dry_run: true });
      const { job_id } = await comanda.syncJobs.startProducts.mutate(batch);
      await api.worker.turn();
      expect(await comanda.syncJobs.get.query({ id: job_id })).toMatchObject({
        status: 'completed',
        errors: [],
      });
      return {};
    },
    read: productOf,
  },
  {
    name: 'items of a stock sync',
    // Relative and conditional changes are in tests/api/stock-adjust.test.ts.
    entry: StockSyncItem,
    apart: [...productNames, 'adjust', 'expected'],
    least: { sku: 'sku-made', quantity: 1 },
    send: (comanda, entry, dryRun) =>
      comanda.stock.sync.mutate({
        items: [entry] as StockSync['items'],
        ...(dryRun && { dry_run: true }),
      }),
    async read(comanda) {
      const { data } = await comanda.stock.list.query({});
      return data.find(({ sku }) => sku === 'sku-made')?.stock;
    },
    events: () => ['stock.updated'],
  },
  {
    name: 'categories of a catalog sync',
    // Deletions are in tests/api/catalog-deletions.test.ts.
    entry: SyncedCategory,
    apart: ['external_id', 'products', 'delete'],
    least: own,
    events: () => [],
    send: sendTree,
    async read(comanda) {
      const { data } = await comanda.categories.list.query({ limit: 200 });
      return data.find(({ external_id }) => external_id === own.external_id);
    },
    inCatalog: CatalogCategory,
  },
  {
    name: 'products of a catalog sync',
    entry: SyncedProduct,
    apart: ['external_id', 'subselections', 'delete'],
    least: product,
    events: eventsOfProduct,
    send: (comanda, entry, dryRun) => sendTree(comanda, { products: [entry] }, dryRun),
    read: productOf,
    inCatalog: CatalogProduct,
  },
  {
    name: 'subselections of a catalog sync',
    entry: SyncedSubselection,
    apart: ['external_id', 'items', 'delete'],
    least: choice,
    events: () => [],
    send: (comanda, entry, dryRun) =>
      sendTree(comanda, { products: [{ ...product, subselections: [entry] }] }, dryRun),
    read: inTree,
    inCatalog: CatalogSubselection,
  },
  {
    name: 'items of a catalog sync',
    entry: SyncedItem,
    apart: ['external_id', 'delete'],
    least: product,
    events: () => [],
    send: (comanda, entry, dryRun) =>
      sendTree(
        comanda,
        { products: [{ ...product, subselections: [{ ...choice, items: [entry] }] }] },
        dryRun,
      ),
    read: async (comanda) => (await inTree(comanda))?.items[0],
    inCatalog: CatalogItem,
  },
];

// No batch is of v1.
const kinds = rows.map((kind) => ({ ...kind, entry: schemaIn(kind.entry, 'v2') }));

/** The fields of an entry, each with a value of its own. */
const valuesOf = ({ entry, apart }: Kind, kitchen: Kitchen): [field: string, value: unknown][] =>
  Object.entries(entry.shape)
    .filter(([field]) => !apart.includes(field))
    .map(([field, schema]) => [field, valueFor(schema as z.ZodType, field, kitchen)]);

const api = useSteppedApi();

it('every kind of entry of every batch has a row here', () => {
  const batches = operations.filter(({ input }) => 'dry_run' in input.shape).map(({ input }) => input);
  const found = batches.flatMap((input) => entriesIn(input));
  expect(found.length).toBeGreaterThan(0);
  expect(new Set(found)).toEqual(new Set(kinds.map(({ entry }) => entry)));
});

/** The shapes of what the lists of a shape hold, and of what theirs do. */
function entriesIn(shape: z.ZodObject): z.ZodObject[] {
  return Object.values(shape.shape).flatMap((member) => {
    const list = member instanceof z.ZodOptional ? member.unwrap() : member;
    const element = list instanceof z.ZodArray ? list.element : undefined;
    return element instanceof z.ZodObject ? [element, ...entriesIn(element)] : [];
  });
}

describe.each(kinds)('a field of $name is foreseen, written, read back and published', (kind) => {
  it('of a new one, with all others', async () => {
    const kitchen = await openKitchen(api, { sandbox: false });
    const comanda = api.client(kitchen.key);
    const values = valuesOf(kind, kitchen);
    const entry = { ...kind.least, ...Object.fromEntries(values) };
    for (const [field] of values) await expectForeseen(kind, comanda, entry, field);
    await kind.send(comanda, entry);
    for (const [field, value] of values) await expectShown(kind, kitchen, comanda, field, value);
  });

  it('alone, of one that exists', async () => {
    const kitchen = await openKitchen(api, { sandbox: false });
    const comanda = api.client(kitchen.key);
    await kind.send(comanda, kind.least);
    for (const [field, value] of valuesOf(kind, kitchen)) {
      await api.published();
      const read = await kind.read(comanda);
      expect(shown(kitchen, read, field), `${field}: the value is not its own`).not.toEqual(matching(value));
      const before = await eventsIn(kitchen);
      const entry = { ...kind.least, [field]: value };
      await expectForeseen(kind, comanda, entry, field);
      await kind.send(comanda, entry);
      await expectShown(kind, kitchen, comanda, field, value, before.length);
    }
  });
});

async function expectForeseen(kind: Kind, comanda: ComandaClient, entry: Entry, field: string) {
  const { changes = [] } = await kind.send(comanda, entry, true);
  const foreseen = changes.flatMap((change) => change.changes.map((each) => each.field.split('.')[0]));
  expect(foreseen, `what a dry run foresees of ${field}`).toContain(foreseenAs[field] ?? field);
}

/** How a dry run names a field, where it is not by its own name. */
const foreseenAs: Readonly<Record<string, string>> = {};

async function expectShown(
  kind: Kind,
  kitchen: Kitchen,
  comanda: ComandaClient,
  field: string,
  value: unknown,
  from = 0,
): Promise<void> {
  expect(shown(kitchen, await kind.read(comanda), field), `${field}, read`).toEqual(matching(value));
  await api.published();
  const events = (await eventsIn(kitchen)).slice(from);
  const types = kind.events(field);
  if (types.length > 0) {
    const bodies = events.filter(({ type }) => types.includes(type)).map(({ body }) => JSON.parse(body).data);
    const shows = bodies.map((data) =>
      shown(kitchen, kind.entry === schemaIn(StockSyncItem, 'v2') ? data.stock : data, field),
    );
    if (shownWith(field) === undefined)
      expect(shows, `${field} of ${types.join()}`).toContainEqual(matching(value));
    else expect(shows.length, types.join()).toBeGreaterThan(0);
  }
  // The remaining stock changes the catalog's version alone.
  if (kind.inCatalog !== undefined && field in kind.inCatalog.shape && field !== 'stock')
    expect(events.map(({ type }) => type)).toContain('catalog.updated');
}

async function eventsIn({ locationId }: Kitchen): Promise<{ type: string; body: string }[]> {
  const rows = await api.sql<{ type: string; body: string }>`select type, body from events
    where location_id = ${locationId} order by id`;
  return rows;
}

/** The value that an answer shows for a given field; categories that were named by external_id are shown by id. */
function shown({ category }: Kitchen, answer: unknown, field: string): unknown {
  if (field !== 'category_external_ids') return shownOf(answer, field);
  const ids = shownOf(answer, 'category_ids') as string[];
  return ids.map((id) => (id === category.id ? category.externalId : id));
}
