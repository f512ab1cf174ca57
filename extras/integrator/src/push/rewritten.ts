import type { Service } from '../service.ts';
import type { Kind } from './fields.ts';
import type { Item, Row } from './rows.ts';

/** A long number as spreadsheets shorten it: `1.23E+18`. */
const shortened = /^\d([.,]\d+)?E\+\d+$/i;
const digits = /^\d+$/;

/** How a spreadsheet may have changed an identifier. */
export type Rewriting = 'shortened' | 'zeros';

/** An identifier of a file that a spreadsheet may have rewritten. */
export interface Rewritten {
  line: number;
  field: string;
  text: string;
  kind: Rewriting;
  /** Of `zeros`: the existing identifier from which it differs by leading zeros alone. */
  there?: string | undefined;
}

/** Identifiers that exist. */
export class KnownIds {
  readonly #all = new Set<string>();
  readonly #byDigits = new Map<string, string>();

  add(id: string): void {
    this.#all.add(id);
    if (digits.test(id)) this.#byDigits.set(withoutZeros(id), id);
  }

  /** How a spreadsheet may have changed an identifier; undefined for one that exists, or that looks like no number. */
  rewritingOf(text: string): Pick<Rewritten, 'kind' | 'there'> | undefined {
    if (this.#all.has(text)) return undefined;
    if (shortened.test(text)) return { kind: 'shortened' };
    const there = digits.test(text) ? this.#byDigits.get(withoutZeros(text)) : undefined;
    return there === undefined ? undefined : { kind: 'zeros', there };
  }
}

const withoutZeros = (id: string): string => id.replace(/^0+(?=\d)/, '');

/** The identifiers of the rows that a spreadsheet may have rewritten, by the known ones of each field. */
export function rewrittenIn(rows: readonly Row[], known: ReadonlyMap<string, KnownIds>): Rewritten[] {
  return rows.flatMap(({ line, item }) =>
    identifiersOf(item).flatMap(([field, text]) => {
      const found = (known.get(field) ?? new KnownIds()).rewritingOf(text);
      return found === undefined ? [] : [{ line, field, text, ...found }];
    }),
  );
}

/** Whether a row has an identifier that can only be judged next to the existing ones. */
export const needsKnown = (rows: readonly Row[]): boolean =>
  rows.some(({ item }) => identifiersOf(item).some(([, text]) => digits.test(text) || shortened.test(text)));

/** Reads the identifiers of all products; undefined where the key may not. @throws {ServiceError} */
export async function readKnown(
  api: Service,
  permissions: readonly string[],
): Promise<ReadonlyMap<string, KnownIds> | undefined> {
  if (!permissions.includes('products:read')) return undefined;
  const known = { external_id: new KnownIds(), sku: new KnownIds() };
  for (let offset = 0; ; ) {
    const query = { limit: 200, offset };
    const page = (await api.call({ path: '/v2/products', query })) as {
      data: { external_id?: string; sku: string }[];
      pagination: { total: number };
    };
    for (const { external_id, sku } of page.data) {
      if (external_id !== undefined) known.external_id.add(external_id);
      known.sku.add(sku);
    }
    offset += page.data.length;
    if (page.data.length === 0 || offset >= page.pagination.total) return new Map(Object.entries(known));
  }
}

/** Of each kind: the remark on an identifier, and the name of several. */
const kindsSaid: Readonly<Record<Rewriting, { remark: string; several: string }>> = {
  shortened: { remark: 'a spreadsheet has shortened it', several: 'shortened identifiers' },
  zeros: {
    remark: 'it differs from an existing one by leading zeros alone',
    several: 'identifiers with other leading zeros',
  },
};

/** For each kind that occurs: its lines, and the question about them. */
export function questionsOf(
  found: readonly Rewritten[],
  most: number,
): { kind: Rewriting; lines: string[]; question: string }[] {
  return (Object.keys(kindsSaid) as Rewriting[]).flatMap((kind) => {
    const all = found.filter((each) => each.kind === kind);
    if (all.length === 0) return [];
    const { remark, several } = kindsSaid[kind];
    const lines = all.slice(0, most).map(({ line, field, text, there }) => {
      const existing = there === undefined ? '' : ` (${JSON.stringify(there)})`;
      return `rewritten  line ${line}  ${field} ${JSON.stringify(text)}: ${remark}${existing}`;
    });
    if (all.length > most) lines.push(`… and ${all.length - most} more`);
    return [{ kind, lines, question: `${several} (${all.length}): push them as they are? [y/N]` }];
  });
}

const fields = ['external_id', 'sku', 'category_external_ids'];

/** The names and texts of an item's identifiers. */
const identifiersOf = (item: Item): [string, string][] =>
  fields.flatMap((field) =>
    [item[field]]
      .flat()
      .flatMap((text): [string, string][] => (typeof text === 'string' ? [[field, text]] : [])),
  );

/** Whether rows of this kind can make an identifier, and not only name an existing one. */
export const makesIds = ({ name }: Kind): boolean => name === 'products';
