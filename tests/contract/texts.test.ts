import { appRouter, operationsOf } from '@comanda/api';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { tables } from '../../packages/db/src/tables/index.ts';
import { sqlName } from '../../packages/db/src/tables/sql-name.ts';
import { hasBlankEndSql, isBlankSql, plainIdentifier } from '../../packages/db/src/texts.ts';
import { useApi } from '../support/api.ts';

/** Every field of a schema, by its path. */
function* fieldsOf(schema: z.core.$ZodType, path: string): Generator<[path: string, field: z.core.$ZodType]> {
  if (schema instanceof z.core.$ZodArray) yield* fieldsOf(schema._zod.def.element, path);
  else if (schema instanceof z.core.$ZodObject)
    for (const [name, member] of Object.entries(schema._zod.def.shape)) {
      yield [`${path}.${name}`, member];
      yield* fieldsOf(member, `${path}.${name}`);
    }
  else {
    const { innerType, in: before } = schema._zod.def as {
      innerType?: z.core.$ZodType;
      in?: z.core.$ZodType;
    };
    for (const inner of [innerType, before]) if (inner !== undefined) yield* fieldsOf(inner, path);
  }
}

const fields = operationsOf(appRouter)
  .filter(({ kind }) => kind === 'mutation')
  .flatMap(({ name, input }) => [...fieldsOf(input, name)]);
const named = (pattern: RegExp) => fields.filter(([path]) => pattern.test(path));

// A name without a `length` in its row has no rule by hand, and is not judged.
const unbounded = tables.flatMap(({ name, columns }) =>
  columns.name?.edited === true && columns.name.length === undefined ? [`${name}.`] : [],
);
const names = named(/\.name$/).filter(([path]) => !unbounded.some((resource) => path.startsWith(resource)));
const texts = [...names, ...named(/\.description$/)];
// A menu is copied as it is, an order and a stock record name what is there.
const identifiers = named(
  /^(products|categories|subselections|subselectionItems|syncJobs|catalog|sync)\..*\b(external_id|sku)$/,
);

test('the router takes names and identifiers', () => {
  expect(names.length).toBeGreaterThan(10);
  expect(texts.length).toBeGreaterThan(names.length);
  expect(identifiers.length).toBeGreaterThan(8);
});

const blanks = ['   ', '\u00A0', '\t\n', '\u3000\uFEFF'];

test.each([...names, ...identifiers])('blanks alone are refused: %s', (_, field) => {
  for (const blank of blanks) expect(z.safeParse(field, blank).success).toBe(false);
});

test.each(texts)('the text is kept in NFC: %s', (_, field) => {
  expect(z.safeParse(field, 'Cre\u0300me')).toEqual({ success: true, data: 'Cr\u00E8me' });
  // Its composition would take time by the square of its length.
  expect(z.safeParse(field, `a${'\u0301\u0316'.repeat(60)}`).success).toBe(false);
});

test.each(identifiers)('the identifier is kept as it is sent: %s', (_, field) => {
  expect(z.safeParse(field, 'Cre\u0300me')).toEqual({ success: true, data: 'Cre\u0300me' });
});

describe('by hand', () => {
  const api = useApi();
  const held = tables.flatMap((table) =>
    Object.entries(table.columns).flatMap(([column, { edited, identifier, length }]) =>
      edited && length !== undefined && (identifier || column === 'name' || column === 'description')
        ? [{ table: sqlName(table), column, identifier }]
        : [],
    ),
  );

  it('PostgreSQL takes the same characters for blanks as JavaScript', async () => {
    for (const blank of [...blanks, 'a', '\u200B']) {
      const [row] = await api.sql<object>(
        `select ${isBlankSql('$1::text')} as blank, ${hasBlankEndSql('$1::text')} as ends`,
        [blank],
      );
      const isBlank = blank.trim() === '';
      expect([blank, row]).toEqual([blank, { blank: isBlank, ends: isBlank }]);
    }
  });

  it('no plain identifier has another normalization form', () => {
    const plain = new RegExp(plainIdentifier);
    for (let point = 0x80; point < 0x11_0000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const form = String.fromCodePoint(point).normalize('NFC');
      if (plain.test(form)) expect.fail(`U+${point.toString(16)} is ${form}`);
    }
  });

  it.each(held)('$table.$column has its triggers', async ({ table, column, identifier }) => {
    const rows = await api.sql<{ definition: string }>`
      select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal`;
    const all = rows.map(({ definition }) => definition).join('\n');
    const [blank, own] = ['guard_blank', identifier ? 'guard_blank_ends' : 'compose_texts'].map((name) =>
      new RegExp(`TRIGGER ${name} [^]*?new\\.${column}\\b`, 'i').test(all),
    );
    expect([blank || column === 'description', own]).toEqual([true, true]);
  });
});
