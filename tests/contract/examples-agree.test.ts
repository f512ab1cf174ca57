import { appRouter } from '@comanda/api/router';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import { eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';

// A reader who compares two examples takes them for the same restaurant: a thing has one name, one id and one price in all of
// them, and sums are sums. An update shows what it changes, so its examples only have to agree with themselves.

type Json = { [name: string]: unknown };

interface Found {
  where: string;
  value: Json;
}

const found: Found[] = [];

/** Every object of an example. */
function walk(where: string, value: unknown): void {
  if (Array.isArray(value)) for (const each of value) walk(where, each);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
  found.push({ where, value: value as Json });
  for (const [name, each] of Object.entries(value)) walk(`${where} ${name}`, each);
}

/** Every example of a document, by its place. */
function walkDocument(where: string, node: unknown): void {
  if (Array.isArray(node))
    for (const [place, each] of node.entries()) walkDocument(`${where}.${place}`, each);
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
  for (const [name, each] of Object.entries(node)) {
    if (name === 'example') walk(where, each);
    else walkDocument(`${where}.${name}`, each);
  }
}

for (const version of ['v1', 'v2'] as const)
  walkDocument(version, JSON.parse(JSON.stringify(await openApiDocument(appRouter, version))));
for (const type of eventTypes) walk(type, exampleEvent(type));

/** Examples of what an update asks for and answers. */
const isUpdate = (where: string) =>
  /\.(patch|put)\.|Update|PriceChange|\.updated\b|previous|changes/.test(where);

/** The statements of each example about one fact, by its subject: `01935a3d-… is Flat white`. */
function said(of: (value: Json) => readonly (readonly [unknown, unknown])[]) {
  const all = new Map<string, Map<string, string>>();
  for (const { where, value } of found) {
    if (isUpdate(where)) continue;
    for (const [thing, fact] of of(value)) {
      if (typeof thing !== 'string' || thing === '' || fact === undefined || fact === null || fact === '')
        continue;
      const facts = all.get(thing) ?? new Map<string, string>();
      all.set(thing, facts.set(String(fact), where));
    }
  }
  return all;
}

const contradictions = (all: Map<string, Map<string, string>>) =>
  [...all]
    .filter(([, facts]) => facts.size > 1)
    .map(([thing, facts]) => ({ thing, ...Object.fromEntries(facts) }));

const isProduct = (value: Json) => 'price' in value && !('min' in value && 'max' in value);

test.each<[string, (value: Json) => readonly (readonly [unknown, unknown])[]]>([
  [
    'the name of an id',
    (value) => [
      [value.id, value.name],
      [value.product_id, value.name],
    ],
  ],
  [
    'the external_id of an id',
    (value) => [
      [value.id, value.external_id],
      [value.product_id, value.external_id],
    ],
  ],
  ['the number of an order', (value) => [[value.id, value.number]]],
  ['the price of an id', (value) => [[value.id, value.price]]],
  ['the name of an external_id', (value) => [[value.external_id, value.name]]],
  ['the sku of an external_id', (value) => [[value.external_id, value.sku]]],
  [
    'the price of a name',
    (value) => (isProduct(value) ? [[String(value.name ?? '').toLowerCase(), value.price]] : []),
  ],
  ['how a name is written', (value) => [[String(value.name ?? '').toLowerCase(), value.name]]],
  ['the external_id of a name', (value) => [[isProduct(value) ? value.name : undefined, value.external_id]]],
  ['the currency', (value) => [['currency', value.currency]]],
  ['the location', (value) => [['location', value.location_id]]],
])('two examples of the documents contradict each other in %s', (_fact, of) => {
  const all = said(of);
  expect(all.size).toBeGreaterThan(0);
  expect(contradictions(all)).toEqual([]);
});

const number = (value: unknown) => (typeof value === 'number' ? value : Number.NaN);
const sum = (values: unknown, field: string) =>
  (values as Json[]).reduce((all, each) => all + number(each[field]), 0);

test.each<[string, (value: Json) => boolean, (value: Json) => readonly [number, number]]>([
  [
    'an item',
    (value) => 'unit_price' in value && 'total' in value,
    (value) => [number(value.unit_price) * number(value.quantity), number(value.total)],
  ],
  [
    'an order',
    (value) =>
      'total' in value && Array.isArray(value.items) && value.items.some((item) => 'unit_price' in item),
    (value) => [sum(value.items, 'total'), number(value.total)],
  ],
  [
    'a job',
    (value) => 'success_items' in value && 'failed_items' in value,
    (value) => [
      number(value.success_items) + number(value.failed_items),
      number(value.processed_items ?? value.total_items),
    ],
  ],
  [
    'a sales report',
    (value) => 'total_amount' in value && Array.isArray(value.rows),
    (value) => [sum(value.rows, 'amount'), number(value.total_amount)],
  ],
  [
    'a settlement',
    (value) => 'total_collected' in value && Array.isArray(value.payments),
    (value) => [sum(value.payments, 'amount'), number(value.total_collected)],
  ],
  [
    'a limit',
    (value) => 'remaining' in value && 'used' in value,
    (value) => [number(value.used) + number(value.remaining), number(value.limit)],
  ],
])('the sum is wrong in an example of %s', (_what, is, of) => {
  const rows = found.filter(({ value }) => is(value));
  expect(rows.length).toBeGreaterThan(0);
  for (const { where, value } of rows) {
    const [counted, stated] = of(value);
    expect(stated, where).toBeCloseTo(counted, 2);
  }
});
