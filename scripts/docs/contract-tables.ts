import { operationsOf } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { z } from 'zod';
import { inFamily } from '../../packages/api/src/call/operations.ts';
import { code, lines } from './markdown-table.ts';

/** Parameters that position or order a list rather than filter it. The contract has their rules. */
const notFilters = [
  'limit',
  'offset',
  'sort',
  'order',
  'updated_since',
  'cursor',
  'after',
  'since',
  'include',
  'group_by',
];

/** Those that the page says every list, or every list of changes, has. */
const onEachOf = ['limit', 'offset', 'cursor'];

const operations = operationsOf(appRouter);

/** The filters of every list and report, by its path without the family: those of both families, those of v2 alone, the others. */
export function filterTable(): string {
  const rows = new Map<string, Record<'v1' | 'v2', readonly string[]>>();
  const mayBeEmpty = new Set<string>();
  for (const operation of operations)
    for (const { method, path, version } of operation.routes) {
      if (method !== 'GET') continue;
      const { shape } = inFamily(operation, version).input;
      const names = Object.keys(shape).filter((name) => !path.includes(`{${name}}`));
      for (const name of names) if (shape[name]?.safeParse('').success === true) mayBeEmpty.add(name);
      // The first family calls its endpoints otherwise.
      const place = path.replace(/^\/v[12]\//, '').replace(/^webhooks\b/, 'webhook-endpoints');
      rows.set(place, { v1: [], v2: [], ...rows.get(place), [version]: names });
    }
  const marked = (names: readonly string[]) =>
    names.length === 0
      ? ''
      : code(
          names
            .map((name) => (mayBeEmpty.has(name) && !notFilters.includes(name) ? `${name}""` : name))
            .join(' '),
        );
  return lines(
    ['List', 'Filters', 'Filters of v2 only', 'Other parameters'],
    [...rows]
      .map(([place, { v1, v2 }]) => ({
        place,
        both: v2.filter((name) => v1.includes(name) && !notFilters.includes(name)),
        alone: v2.filter((name) => !v1.includes(name) && !notFilters.includes(name)),
        others: v2.filter((name) => notFilters.includes(name) && !onEachOf.includes(name)),
      }))
      .filter(({ both, alone }) => both.length + alone.length > 0)
      .map(({ place, both, alone, others }) => [code(place), marked(both), marked(alone), marked(others)]),
  );
}

/** The body fields of v2 that accept `null` or empty text, with the operations that do. Ids and addresses are checked by other rules. */
export function emptyValueTable(): string {
  const rows = new Map<string, { cleared: Places; empty: Places }>();
  for (const operation of operations)
    for (const { method, path, version } of operation.routes) {
      if (version !== 'v2' || (method !== 'POST' && method !== 'PATCH')) continue;
      const place = path.replace(/^\/v2\//, '').replace(/\/\{\w+\}/, '');
      for (const [name, field] of textsOf(inFamily(operation, version).input)) {
        if (path.includes(`{${name}}`) || /^(.*_id|url)$/.test(name.replace('external_id', ''))) continue;
        const row = rows.get(name) ?? { cleared: new Set(), empty: new Set() };
        if (field.safeParse(null).success) row.cleared.add(method === 'PATCH' ? place : `${method} ${place}`);
        if (field.safeParse('').success) row.empty.add(place);
        if (row.cleared.size + row.empty.size > 0) rows.set(name, row);
      }
    }
  const list = (places: Places) => [...places].map(code).join(', ');
  return lines(
    ['Field', '`null` in `PATCH` removes it', '`""` is accepted'],
    [...rows].map(([name, { cleared, empty }]) => [code(name), list(cleared), list(empty)]),
  );
}

type Places = Set<string>;

/** Every field of an input, those of its lists and objects too, by its own name. */
function* textsOf(schema: unknown): Generator<[string, z.ZodType]> {
  if (schema instanceof z.ZodArray) yield* textsOf(schema.element);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    yield* textsOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) yield* textsOf(schema.in);
  if (schema instanceof z.ZodObject)
    for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
      yield [name, field];
      yield* textsOf(field);
    }
}
