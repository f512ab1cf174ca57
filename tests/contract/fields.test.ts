import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { exampleInput } from '../../packages/api/src/documents/examples.ts';
import { schemaIn } from '../../packages/api/src/families.ts';
import { type EventType, events, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { operations } from '../support/documented.ts';
import { useSteppedApi } from '../support/published.ts';
import { trpcEntrance } from './entrances.ts';
import { matching, shownAs, shownOf, shownWith, valueFor } from './field-values.ts';
import { type Kitchen, openKitchen, withReferences } from './kitchen.ts';

// Every field of a creation or a change is kept, shown wherever the resource is, and published. Made of the router: a
// new field is held to it by itself.

type Answer = Record<string, unknown> & { id: string };

// The fields of planned prices exclude each other: tests/api/price-changes.test.ts has them.
const operationsOf = (verb: 'create' | 'update') =>
  operations.filter(({ name }) => name.endsWith(`.${verb}`) && name !== 'priceChanges.create');

/** The fields of an operation, each with a value of its own. */
const valuesOf = ({ input }: Operation, kitchen: Kitchen): [field: string, value: unknown][] =>
  Object.entries(input.shape)
    .filter(([field]) => field !== 'id' && field !== 'while_paused')
    .map(([field, schema]) => [field, valueFor(schema as z.ZodType, field, kitchen)]);

/** Resources that are read otherwise than by `get`, with the reason. */
const readers: Readonly<Record<string, (kitchen: Kitchen, id: string) => Promise<unknown>>> = {
  // A menu is read when it is published.
  menus: async (kitchen, id) => {
    await call(kitchen, 'menus.publish', { id });
    return call(kitchen, 'menus.getActive', {});
  },
  // An option is read with its subselection.
  subselectionItems: async (kitchen, id) => {
    const { data } = (await call(kitchen, 'subselections.list', { limit: 200 })) as {
      data: { items: Answer[] }[];
    };
    return data.flatMap(({ items }) => items).find((item) => item.id === id);
  },
  // A key reads its own location: one that was created has no key yet.
  locations: async (kitchen, id) =>
    id === kitchen.locationId ? call(kitchen, 'locations.getCurrent', { include: ['hours'] }) : undefined,
};

/** Changes that another event than that of the resource publishes. */
const publishedElsewhere: Readonly<Record<string, EventType>> = {
  // The record of a product's stock is published by itself.
  'products.update: stock': 'stock.updated',
  'locations.update: opening_hours': 'location.updated',
  'products.update: stock_change': 'stock.updated',
};

const api = useSteppedApi();

it.each(operationsOf('create'))(
  'every field of a creation is written, read back, listed and published: $name',
  async (operation) => {
    const kitchen = await openKitchen(api, { sandbox: false });
    const plain = await create(await openKitchen(api, { sandbox: false }), operation, {});
    const values = valuesOf(operation, kitchen);
    const answer = await create(kitchen, operation, Object.fromEntries(values));
    for (const [field, value] of values) {
      expect(alike(shownOf(plain, field), value), `${field}: the value is not its own`).toBe(false);
      await expectShown(kitchen, operation, answer, field, value);
      await expectPublished(
        kitchen,
        operation,
        { id: answer.id, action: 'created', after: null },
        field,
        value,
      );
    }
  },
);

it.each(operationsOf('update'))(
  'each field of a change, alone, is written, read back, listed and published: $name',
  async (operation) => {
    const kitchen = await openKitchen(api, { sandbox: false });
    const creation = operationNamed(`${resourceOf(operation)}.create`);
    if (creation === undefined) throw new Error(`${operation.name}: nothing creates one`);
    // The location is that of the key.
    const id =
      creation.name === 'locations.create' ? kitchen.locationId : (await create(kitchen, creation, {})).id;
    for (const [field, value] of valuesOf(operation, kitchen)) {
      const before = await read(kitchen, operation, id);
      expect(alike(shownOf(before, field), value), `${field}: the value is not its own`).toBe(false);
      const after = await latestEvent(kitchen);
      const answer = (await call(kitchen, operation.name, { id, [field]: value })) as Answer;
      await expectShown(kitchen, operation, answer, field, value);
      await expectPublished(kitchen, operation, { id, action: 'updated', after }, field, value);
    }
  },
);

async function expectShown(
  kitchen: Kitchen,
  operation: Operation,
  answer: Answer,
  field: string,
  value: unknown,
): Promise<void> {
  if (shownWith(field) === undefined)
    expect(shownOf(answer, field), `${field} of the answer`).toEqual(matching(value));
  const found = await read(kitchen, operation, answer.id, field);
  if (found !== undefined) expect(shownOf(found, field), `${field}, read`).toEqual(matching(value));
  const entry = await listed(kitchen, operation, answer.id, field);
  if (entry !== undefined) expect(shownOf(entry, field), `${field}, listed`).toEqual(matching(value));
}

/** Where an event has the resource as its body, it shows the field. */
async function expectPublished(
  kitchen: Kitchen,
  { name, output }: Operation,
  { id, action, after }: { id: string; action: 'created' | 'updated'; after: string | null },
  field: string,
  value: unknown,
): Promise<void> {
  const own = eventTypes.find(
    (type) => type.endsWith(`.${action}`) && schemaIn(events[type].data, 'v2') === output,
  );
  const type = publishedElsewhere[`${name}: ${field}`] ?? own;
  if (type === undefined) return;
  await api.published();
  const rows = await api.sql<{ body: string }>`select body from events
    where location_id = ${kitchen.locationId} and type = ${type} and resource_id = ${id} and (${after}::uuid is null or id > ${after}::uuid)`;
  expect(rows, `${type} is published once`).toHaveLength(1);
  if (shownWith(field) !== undefined) return;
  expect(shownOf(JSON.parse(rows[0]?.body ?? '').data, field), `${field} of ${type}`).toEqual(
    matching(value),
  );
}

async function latestEvent({ locationId }: Kitchen): Promise<string | null> {
  await api.published();
  const [row] = await api.sql<{
    id: string;
  }>`select id from events where location_id = ${locationId} order by id desc limit 1`;
  return row?.id ?? null;
}

async function create(kitchen: Kitchen, operation: Operation, given: object): Promise<Answer> {
  const input = withReferences(kitchen, exampleInput(operation)) as Record<string, unknown>;
  const needed = Object.entries(input).filter(
    ([name]) =>
      name === 'idempotencyKey' || !z.safeParse(shapeOf(operation)[name] as z.ZodType, undefined).success,
  );
  return (await call(kitchen, operation.name, { ...Object.fromEntries(needed), ...given })) as Answer;
}

async function read(kitchen: Kitchen, operation: Operation, id: string, field = 'id'): Promise<unknown> {
  const resource = resourceOf(operation);
  const reader = readers[resource];
  if (reader !== undefined) return reader(kitchen, id);
  if (operationNamed(`${resource}.get`) !== undefined)
    return call(kitchen, `${resource}.get`, { id, ...including(shownWith(field)) });
  const entry = await listed(kitchen, operation, id);
  if (entry === undefined) throw new Error(`${resource}: nothing reads one, and it has no row in readers`);
  return entry;
}

const including = (part: string | undefined) => (part === undefined ? {} : { include: [part] });

/** The entry of the list, where there is one and its schema has the field. */
async function listed(kitchen: Kitchen, operation: Operation, id: string, field = 'id'): Promise<unknown> {
  const list = operationNamed(`${resourceOf(operation)}.list`);
  const page = list?.output instanceof z.ZodObject ? list.output.shape.data : undefined;
  const entry = page instanceof z.ZodArray ? page.element : undefined;
  if (list === undefined || !(entry instanceof z.ZodObject) || !(shownAs(field) in entry.shape))
    return undefined;
  const part = shownWith(field);
  const include = part === undefined ? ['details', 'items'] : [part];
  const taken = list.input.shape.include as z.ZodType | undefined;
  const all = taken !== undefined && z.safeParse(taken, include).success ? { include } : {};
  const { data } = (await call(kitchen, list.name, { limit: 200, ...all })) as { data: Answer[] };
  const found = data.find((each) => each.id === id);
  expect(found, `${list.name} lists it`).toBeDefined();
  return found;
}

async function call(kitchen: Kitchen, name: string, input: Record<string, unknown>): Promise<unknown> {
  const operation = operationNamed(name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  const { value, message } = await trpcEntrance(operation).call(api.url, kitchen.key, input);
  if (value === undefined) throw new Error(`${name} answered ${message}`);
  return value;
}

const operationNamed = (name: string) => operations.find((each) => each.name === name);
const resourceOf = ({ name }: Operation): string => name.replace(/^v1\./, '').split('.')[0] ?? '';
const shapeOf = ({ input }: Operation) => input.shape as Record<string, z.ZodType>;

const alike = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
